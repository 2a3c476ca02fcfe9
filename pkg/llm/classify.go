package llm

import (
	"bytes"
	"strconv"
	"strings"
)

// classify makes a Failure of an answer that is no reply. The order is from what is said most clearly
// to the mere status: overflow, quota, rate, tools, parameter, key, model, server, anything else. Overflow comes first
// because vendors report it as 400, 413, 429 and 500 alike; tools come before the model because
// OpenRouter reports their lack as 404.
func classify(status int, headers []Header, body []byte) Failure {
	e := readError(bytes.TrimSpace(body))
	if status >= 200 && status <= 299 { // an error inside a reply; its code may be the status
		if n, err := strconv.Atoi(e.code); err == nil && n >= 400 && n <= 599 {
			status = n
		}
	}
	f := Failure{Status: status, Detail: e.message, RetryMS: retryAfter(headers, e)}
	client := status < 500 // only then do the words say whose fault it is
	switch {
	case status >= 300 && status <= 399:
		f.Kind = KindRedirect
		f.Detail = ""
	case status == 413 || anyOf(e.words, overflowWords) && !anyOf(e.words, []string{"tokens per min", "(tpm)"}):
		f.Kind = KindOverflow
	case status == 402 || anyOf(e.words, quotaWords) || strings.Contains(e.words, "exceeded your current quota") && f.RetryMS == 0 && client:
		f.Kind = KindQuota
	case status == 429 || client && anyOf(e.words, rateWords):
		f.Kind = KindRate
	case status != 401 && status != 403 && anyOf(e.words, toolWords):
		f.Kind = KindTools
	case client && status != 401 && status != 403 && status != 404 && refusedParameter(e) != 0:
		f.Kind, f.param = KindParameter, refusedParameter(e)
	case status == 401 || status == 403 || client && anyOf(e.words, keyWords):
		f.Kind = KindAuth
	case status == 404 || client && anyOf(e.words, modelWords):
		f.Kind = KindNotFound
	case status >= 500 || status < 400:
		f.Kind = KindServer
	case status == 408 || status == 409 || status == 425:
		f.Kind = KindServer // a timeout or a lock on their side
	default:
		f.Kind = KindInvalid
	}
	return f
}

func anyOf(words string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(words, p) {
			return true
		}
	}
	return false
}

// mentionsModel tells a 404 for a model from a 404 for a path.
func mentionsModel(words string) bool {
	return anyOf(words, modelWords) || strings.Contains(words, "model") || strings.Contains(words, "no endpoints found")
}

// parameters are what may be left out, in the order in which one is looked for.
var parameters = []struct {
	name   string
	quirks Quirks
}{
	{"tool_choice", NoToolChoice},
	{"reasoning_effort", NoEffort},
	{"reasoning effort", NoEffort},
	{"thinking level", NoEffort},
	{"reasoning_content", NoReasoningEcho},
	{"reasoning_details", NoReasoningEcho},
	{"temperature", NoTemperature},
	{"max_completion_tokens", NoMaxTokens}, // or CompletionTokens, see below
	{"max_tokens", NoMaxTokens},
	{"tools", TextTools},
}

// refusedParameter finds which of our parameters an error is about.
func refusedParameter(e vendorError) Quirks {
	if strings.Contains(e.words, "missing") || e.param == "" && !anyOf(e.words, refusals) {
		return 0
	}
	for _, p := range parameters {
		// Vendors also say which parameter is meant by the word alone, as "param": "tools".
		if e.param != p.name && (p.name == "tools" || !strings.Contains(e.words, p.name)) {
			continue
		}
		if p.name == "max_completion_tokens" {
			if strings.Contains(e.words, "'max_tokens'") || strings.Contains(e.words, "use 'max_completion_tokens'") {
				return CompletionTokens
			}
			return NoMaxTokens
		}
		return p.quirks
	}
	return 0
}
