package config

// Merge lays the layers over the defaults of a host, field by field, the last
// one on top. From tells for every key of Fields which source it came from.
func Merge(host string, layers ...Layer) (c Config, from map[string]string) {
	c = Defaults(host)
	from = make(map[string]string, len(fields))
	for _, f := range fields {
		from[f.Key] = SourceDefault
		for i := range layers {
			if layers[i].set[f.Key] {
				f.carry(&c, &layers[i].config)
				from[f.Key] = layers[i].Source
			}
		}
	}
	return c, from
}
