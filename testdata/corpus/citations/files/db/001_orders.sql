create table orders (
    id         bigserial primary key,
    customer   text not null,
    total      numeric(10, 2) not null default 0,
    created_at timestamp not null default now()
);

create index orders_customer on orders (customer);

-- Removes orders that were never paid.
delete from orders where total = 0;
