// Übersetzungen der Oberfläche
export const texts = {
  greeting: "Grüß Gott, schön dass du da bist",
  farewell: "Au revoir, à bientôt",
  price: (n) => `${n} €`,
  quote: "“draft”",
}
