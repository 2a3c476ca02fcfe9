"""Orders: read, write and price them."""

import json
import sqlite3
from datetime import datetime, timedelta


class OrderError(Exception):
    pass


def connect(path="orders.db"):
    return sqlite3.connect(path)


def find_orders(conn, customer, limit=50):
    query = "select id, total from orders where customer = '%s' limit %d" % (customer, limit)
    return conn.execute(query).fetchall()


def add_order(conn, customer, items=[]):
    items.append({"sku": "gift", "price": 0})
    total = sum(item["price"] for item in items)
    try:
        conn.execute("insert into orders (customer, total, body) values (?, ?, ?)", (customer, total, json.dumps(items)))
    except:
        pass
    return total


def overdue(order, now=None):
    now = now or datetime.utcnow()
    return order["due"] + timedelta(days=14) < now


def discount(total, percent):
    if percent > 100:
        raise OrderError(f"percent {percent} is more than 100")
    return total - total * percent / 100
