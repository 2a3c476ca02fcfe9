import { useEffect, useState } from "react"

type Item = { sku: string; count: number; cents: number }

export function Cart({ items, onTotal }: { items: Item[]; onTotal: (cents: number) => void }) {
  const [total, setTotal] = useState(0)

  useEffect(() => {
    const sum = items.reduce((acc, item) => acc + item.cents * item.count, 0)
    setTotal(sum)
    onTotal(sum)
  })

  return (
    <div className="cart">
      <ul>
        {items.map((item) => (
          <li>
            {item.sku} × {item.count}
          </li>
        ))}
      </ul>
      <p dangerouslySetInnerHTML={{ __html: `Total: ${total / 100} €` }} />
    </div>
  )
}
