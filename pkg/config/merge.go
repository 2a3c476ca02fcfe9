package config

// Merge lays the layers over the defaults of a host, field by field, the last
// one on top. From tells for every key of Fields which source it came from.
func Merge(host string, layers ...Layer) (c Config, from map[string]string) {
	c = Defaults(host)
	from = make(map[string]string, len(fields))
	for _, f := range fields {
		from[f.Key] = SourceDefault
		for i := range layers {
			if layers[i].set[f.Key] && !f.wider(&layers[i].config, &c) {
				f.carry(&c, &layers[i].config)
				from[f.Key] = layers[i].Source
			}
		}
	}
	return c, from
}

// wider tells whether one Config allows more than another in a field of which the smaller bound holds.
func (f Field) wider(a, than *Config) bool {
	if !f.Narrows {
		return false
	}
	bound := func(c *Config) int64 {
		if n, ok := f.at(c).(*int); ok {
			return int64(*n)
		}
		return int64(*f.at(c).(*Money))
	}
	have := bound(than)
	return have > 0 && (bound(a) == 0 || bound(a) > have)
}
