package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// dollars reads an amount of money that is not negative.
func dollars(v value) (Money, bool) {
	if v.kind != jsonparser.Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil || !(f >= 0 && f <= 1e9) {
		return 0, false
	}
	return Money(f*1e6 + 0.5), true
}

// prices reads the object of prices. Each model is judged by itself.
func (p *parser) prices(f Field, key string, v value) bool {
	if !v.isObject() {
		p.report(key, "want "+f.Type()+", got "+v.describe(false), "it is not used")
		return false
	}
	all := Prices{}
	for _, m := range v.members {
		at := key + "." + shownKey(m.key)
		ref, ok := ParseRef(m.key)
		if !ok || ref.Variant != "" {
			p.report(at, "want provider/model, as in deepseek/deepseek-flash", "it is not used")
			continue
		}
		if price, ok := p.price(at, m.value); ok {
			all[ref.String()] = price
		}
	}
	*f.at(&p.layer.config).(*Prices) = all
	return len(all) > 0
}

// price reads one model's price. What the cache holds costs as much as what it does not, unless it is told.
func (p *parser) price(at string, v value) (budget.Price, bool) {
	price := budget.Price{Known: true}
	parts := []struct {
		name string
		to   *int64
	}{{"input", &price.In}, {"output", &price.Out}, {"cacheRead", &price.CacheRead}, {"cacheWrite", &price.CacheWrite}}
	known := []string{"input", "output", "cacheRead", "cacheWrite"}
	for _, m := range v.members {
		if !slices.Contains(known, m.key) {
			p.report(at+"."+shownKey(m.key), "there is no such key", "it is ignored; known are "+strings.Join(known, ", "))
		}
	}
	for i, part := range parts {
		one, ok := v.get(part.name)
		if !ok && i >= 2 {
			*part.to = price.In
			continue
		}
		n, fine := dollars(one)
		if !ok || !fine || n > budget.MostPrice {
			p.report(at+"."+part.name, "want dollars for a million tokens, from 0 to 1000, got "+one.describe(false), "the price of this model is not used")
			return budget.Price{}, false
		}
		*part.to = int64(n)
	}
	return price, true
}

// price gives what a model costs: as advisor.json says, as the host knows it, or nothing for a server on this
// machine. A price from the host is not taken where the project could have set it: a low one would widen the budget.
func (k *knowledge) price(own Prices, e Endpoint) budget.Price {
	if p, ok := own[e.Provider+"/"+e.Model]; ok {
		return p
	}
	if e.From == FromLocal {
		return budget.Price{Known: true}
	}
	_, all := k.project[""]
	if all || k.priced[e.Provider] {
		return budget.Price{}
	}
	for _, m := range k.hosted[e.Provider].Prices {
		if m.Model == e.Model {
			return hostPrice(m)
		}
	}
	return budget.Price{}
}

func hostPrice(m protocol.ModelPrice) budget.Price {
	p := budget.Price{In: m.Input, Out: m.Output, CacheRead: m.CacheRead, CacheWrite: m.CacheWrite, Known: true}
	if p.CacheRead == 0 {
		p.CacheRead = p.In
	}
	if p.CacheWrite == 0 {
		p.CacheWrite = p.In
	}
	for _, n := range []int64{p.In, p.Out, p.CacheRead, p.CacheWrite} {
		if n < 0 || n > budget.MostPrice {
			return budget.Price{}
		}
	}
	// Hosts give zero for what they know nothing of, a model that the person declared, say.
	p.Known = p.In+p.Out > 0
	return p
}

// setsPrice tells whether a provider object holds prices, at whatever depth.
func setsPrice(v value) bool {
	for _, m := range v.members {
		if strings.EqualFold(m.key, "cost") || setsPrice(m.value) {
			return true
		}
	}
	for _, item := range v.items {
		if setsPrice(item) {
			return true
		}
	}
	return false
}
