package store

import (
	"testing"
	"time"
)

func TestPutThenGet(t *testing.T) {
	now := time.Unix(1000, 0)
	c := New(time.Minute)
	c.Put("sku-1", 450, now)
	got, err := c.Get("sku-1", now)
	if err != nil || got != 450 {
		t.Fatalf("Get = %d, %v; want 450, nil", got, err)
	}
}

func TestSweep(t *testing.T) {
	now := time.Unix(1000, 0)
	c := New(time.Minute)
	c.Put("sku-1", 450, now)
	if n := c.Sweep(now.Add(2 * time.Minute)); n != 1 {
		t.Fatalf("Sweep removed %d, want 1", n)
	}
}
