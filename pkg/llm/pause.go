package llm

import "strconv"

// Pause says how long an endpoint is left alone after what went wrong. It is a value without a clock: the zero
// Pause is healthy, and After gives the next one.
type Pause struct {
	Kind   Kind   // of the failure that opened the pause, or of the latest
	Until  int64  // milliseconds since 1970; 0: not paused
	Config string // Fingerprint of the endpoint at that time; another config ends the pause
	Streak int    // failures in a row
	Told   Kind   // the kind that the person was told of since the last success
	// Troubled is when the person was told of a struggling server last. It outlives successes: a server that comes
	// and goes is one piece of news.
	Troubled int64
}

// Minutes, in milliseconds. A wrong key or model stays wrong until the config changes, but it may also be mended at the
// provider's end, so the pause ends by itself.
const (
	minute       = int64(60_000)
	pauseConfig  = 30 * minute
	pauseQuota   = 15 * minute
	pauseMost    = 15 * minute // of a struggling server
	pauseRate    = minute      // and more, when the vendor says so
	pauseRateMax = 10 * minute
	pauseTrouble = minute // doubled with each failure
	troubleFrom  = 3      // failures in a row before a struggling server is left alone
	troubleNews  = 60 * minute
)

// Active reports whether the endpoint is to be left alone now.
func (p Pause) Active(nowMS int64, config string) bool {
	return p.Until > nowMS && p.Config == config
}

// After gives the state after a call that ended with err, and whether the person is to
// be told: once per kind of trouble until a call succeeds again, and of a struggling server once an hour. Cancelled calls,
// overflow and a budget say nothing about the endpoint.
func (p Pause) After(err error, nowMS int64, config string) (next Pause, tell bool) {
	if err == nil {
		return Pause{Config: p.Config, Troubled: p.Troubled}, false
	}
	f, ok := AsFailure(err)
	if !ok || f.Kind == KindCancelled || f.Kind == KindOverflow || f.Kind == KindBudget {
		return p, false
	}
	next = Pause{Kind: f.Kind, Config: config, Streak: 1}
	if p.Config == config {
		next.Streak, next.Told, next.Troubled = p.Streak+1, p.Told, p.Troubled
	}
	var pause int64
	trouble := false
	switch f.Kind {
	case KindAuth, KindNotFound, KindRedirect, KindOrigin, KindHost, KindInvalid:
		pause = pauseConfig
	case KindQuota:
		pause = max(pauseQuota, min(f.RetryMS, pauseConfig))
	case KindRate:
		pause = min(max(f.RetryMS, pauseRate), pauseRateMax)
	default:
		trouble = true
		if over := next.Streak - troubleFrom; over >= 0 {
			pause = min(pauseTrouble<<min(over, 10), pauseMost)
		}
	}
	if pause > 0 {
		next.Until = nowMS + pause
		tell = next.Told != f.Kind
		next.Told = f.Kind
		if trouble && tell {
			if tell = next.Troubled == 0 || nowMS-next.Troubled >= troubleNews; tell {
				next.Troubled = nowMS
			}
		}
	}
	return next, tell
}

// Fingerprint stands for everything in an endpoint that a person could mend. It does not hold the key itself, but
// it is for comparing in memory only.
func (ep Endpoint) Fingerprint() string {
	sum := uint64(fnvStart)
	for _, s := range []string{ep.Provider, ep.Model, ep.BaseURL, ep.APIKey, string(ep.Transport)} {
		sum = fnv1a(sum, s+"\x00")
	}
	for _, h := range ep.Headers {
		sum = fnv1a(sum, h.Name+"\x00"+h.Value+"\x00")
	}
	return strconv.FormatUint(sum, 36)
}
