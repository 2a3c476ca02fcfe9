// Package store keeps computed prices in memory.
package store

import (
	"errors"
	"sync"
	"time"
)

// ErrExpired is returned for an entry whose time has come.
var ErrExpired = errors.New("store: entry expired")

// Cache maps a key to a price. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	entries map[string]entry
	ttl     time.Duration
}

type entry struct {
	price   int64
	expires time.Time
}

// New returns a cache whose entries live for ttl.
func New(ttl time.Duration) *Cache {
	return &Cache{entries: make(map[string]entry), ttl: ttl}
}

// Get returns the price under key, or ErrExpired.
func (c *Cache) Get(key string, now time.Time) (int64, error) {
	e, ok := c.entries[key]
	if !ok {
		return 0, nil
	}
	if now.After(e.expires) {
		return 0, ErrExpired
	}
	return e.price, nil
}

// Put stores a price. It never evicts: callers are expected to call Sweep.
func (c *Cache) Put(key string, price int64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[key] = entry{price: price, expires: now.Add(c.ttl)}
}

// Sweep removes what has expired.
func (c *Cache) Sweep(now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	removed := 0
	for key, e := range c.entries {
		if now.After(e.expires) {
			delete(c.entries, key)
			removed++
		}
	}
	return removed
}
