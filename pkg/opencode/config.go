package opencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
)

// Limits that OpenCode is told of when the caller sets none. OpenCode has no catalog entry for a provider of
// our own and would ask for more output than many endpoints allow; and it rejects a model that declares an
// output limit without a context size.
const (
	defaultMaxOutputTokens  = 4096
	defaultMaxContextTokens = 128000
)

func orDefault[T ~int | ~int64](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}

func (a *Adapter) maxOutputTokens() int {
	return orDefault(a.MaxOutputTokens, defaultMaxOutputTokens)
}

func (a *Adapter) provider() string {
	if a.Provider == "" {
		return sandbox.ProviderName
	}
	return a.Provider
}

// RequestedModel is the model string that the endpoint receives: Model when that is set (overridden is then
// true), else Lane, which the endpoint resolves itself. Callers record it as what was asked for and billed.
func (a *Adapter) RequestedModel() (model string, overridden bool) {
	if a.Model != "" {
		return a.Model, true
	}
	return a.Lane, false
}

// ProviderConfig is the OpenCode configuration of the run as a JSON string, for OPENCODE_CONFIG_CONTENT. It
// declares one OpenAI-compatible provider at forgeBaseURL (to which /v1 is added unless it ends so) with one
// model, named by the lane, and carries the key. It belongs in memory and is never written to a file.
//
// It fails when the lane is empty or forgeBaseURL is no http or https URL.
func (a *Adapter) ProviderConfig(apiKey, forgeBaseURL string) (string, error) {
	if a.Lane == "" {
		return "", errors.New("build provider config: Lane is empty: set the lane or model that the endpoint knows")
	}
	if strings.Contains(a.provider(), "/") {
		return "", fmt.Errorf("build provider config: Provider %q contains a slash, which OpenCode reads as the start of the model", a.provider())
	}
	base, err := endpoint(forgeBaseURL)
	if err != nil {
		return "", fmt.Errorf("build provider config: %w", err)
	}
	model, _ := a.RequestedModel()
	options := map[string]any{"baseURL": base.String()}
	if apiKey != "" {
		options["apiKey"] = apiKey
	}
	config := maps.Clone(a.Config)
	if config == nil {
		config = map[string]any{}
	}
	reference := a.provider() + "/" + a.Lane
	maps.Copy(config, map[string]any{
		"model": reference, "small_model": reference, // else OpenCode picks a small model of its own taste
		"autoupdate": false, "share": "disabled",
		"provider": map[string]any{a.provider(): map[string]any{
			"name": a.provider(), "npm": "@ai-sdk/openai-compatible", "options": options,
			"models": map[string]any{a.Lane: map[string]any{
				"id": model, "name": a.Lane, "tool_call": true,
				"limit": map[string]int{
					"context": orDefault(a.MaxContextTokens, defaultMaxContextTokens), "output": a.maxOutputTokens(),
				},
			}},
		}},
	})
	if len(a.Plugins) > 0 {
		config["plugin"] = a.Plugins
	}
	out, err := json.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("build provider config: %w", err)
	}
	return string(out), nil
}

// endpoint checks an inference endpoint's address and gives it with /v1 at its end.
func endpoint(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(raw, "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		// The address is not repeated: it may hold a password.
		return nil, errors.New("ForgeBaseURL: want an http or https URL such as https://api.example.com")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("ForgeBaseURL: user, query and fragment are not supported: give the key as the run's key")
	}
	if !strings.HasSuffix(u.Path, "/v1") {
		u.Path += "/v1"
	}
	return u, nil
}

// reach is what a confined run needs of the network: the endpoint's port, and UDP when its host is a name.
func reach(u *url.URL) (port uint16, lookup bool) {
	port = 443
	if u.Scheme == "http" {
		port = 80
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		port = uint16(n)
	}
	return port, net.ParseIP(u.Hostname()) == nil && u.Hostname() != "localhost"
}
