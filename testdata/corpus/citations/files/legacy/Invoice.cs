using System;
using System.Threading.Tasks;

namespace Shop
{
    public class Invoice
    {
        public decimal Total { get; private set; }

        public async void Send(IMailer mailer)
        {
            await mailer.SendAsync("invoice", Total.ToString());
        }

        public void Add(decimal amount, decimal rate)
        {
            Total += amount + amount * rate;
        }
    }
}
