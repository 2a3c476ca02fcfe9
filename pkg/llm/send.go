package llm

import "strings"

// prepare checks what can be checked before anything is sent.
func (c *call) prepare() *Failure {
	if c.ep.Transport == TransportHost {
		if _, ok := c.port.(Generator); !ok {
			return &Failure{Kind: KindHost, Detail: "this host cannot generate text"}
		}
		return nil
	}
	urls, err := URLs(c.ep.BaseURL)
	if err != nil {
		return &Failure{Kind: KindInvalid, Detail: err.Error()}
	}
	c.urls = urls
	if strings.TrimSpace(c.ep.Model) == "" {
		return &Failure{Kind: KindInvalid, Detail: "no model is named"}
	}
	if !printable(c.ep.APIKey) {
		return &Failure{Kind: KindAuth, Detail: "the key holds a line break, a space or another character that no key has"}
	}
	for _, h := range c.ep.Headers {
		if !token(h.Name) || strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f }) {
			return &Failure{Kind: KindInvalid, Detail: "the header " + oneLine(h.Name, 40) + " is malformed"}
		}
	}
	return nil
}

// once sends the request as it stands now.
func (c *call) once() (Reply, *Failure) {
	if c.ep.Transport == TransportHost {
		return c.generate()
	}
	url := c.urls[0]
	if c.quirks&BarePath != 0 {
		url = c.urls[len(c.urls)-1]
	}
	res := c.port.RoundTrip(HTTPRequest{
		Method: "POST", URL: url, Headers: c.headers(),
		Body:      EncodeRequest(c.ep, c.req, c.quirks),
		TimeoutMS: c.left(), MaxBytes: MaxBody,
	})
	if res.Failure != "" {
		return Reply{}, transportFailure(res)
	}
	if res.Cut {
		return Reply{}, &Failure{Kind: KindTooLarge, Status: res.Status, Detail: "the reply is longer than 4 MB"}
	}
	reply, err := ParseReply(res.Status, res.Headers, res.Body)
	if err != nil {
		f, _ := AsFailure(err)
		if f.RetryMS == 0 {
			f.RetryMS = until(res.Headers, c.port.Now())
		}
		return reply, &f
	}
	if len(reply.ToolCalls) == 0 && len(c.req.Tools) > 0 {
		c.readCalls(&reply)
	}
	return reply, nil
}

// readCalls finds calls in the text. Where tools are native, only a text that is nothing but
// calls counts: such models exist, and prose that quotes a call is not one.
func (c *call) readCalls(reply *Reply) {
	parsed := ParseText(reply.Text, c.req.Tools)
	if len(parsed.ToolCalls) > 0 && (c.quirks&TextTools != 0 || c.ep.Transport == TransportHost || parsed.Text == "") {
		reply.ToolCalls, reply.Text = parsed.ToolCalls, parsed.Text
	}
}

func (c *call) headers() []Header {
	list := []Header{{"Content-Type", "application/json"}, {"Accept", "application/json"}}
	own := header(c.ep.Headers, "Authorization") != ""
	if key := strings.TrimSpace(c.ep.APIKey); key != "" && !own {
		list = append(list, Header{"Authorization", "Bearer " + key})
	}
	for _, h := range c.ep.Headers {
		switch strings.ToLower(h.Name) {
		case "content-type", "accept", "host", "content-length", "transfer-encoding", "connection": // ours, or the transport's
		default:
			list = append(list, h)
		}
	}
	return list
}

// generate asks the host's own model.
func (c *call) generate() (Reply, *Failure) {
	res := c.port.(Generator).Generate(GenerateRequest{
		Provider: c.ep.Provider, Model: c.ep.Model,
		Prompt: FlattenPrompt(c.req), MaxTokens: c.req.MaxTokens, Effort: effortFor(c.ep, c.quirks), TimeoutMS: c.left(),
	})
	detail := whole(res.Detail)
	switch res.Failure {
	case "":
	case "timeout":
		return Reply{}, &Failure{Kind: KindTimeout, Detail: detail}
	case "cancelled":
		return Reply{}, &Failure{Kind: KindCancelled, Detail: detail}
	case "failed":
		// The host hands the provider's words on without their status.
		f := classify(400, nil, []byte(res.Detail))
		if f.Kind != KindParameter || f.param != NoEffort {
			f = classify(500, nil, []byte(res.Detail))
		}
		f.Status = 0
		return Reply{}, &f
	default:
		return Reply{}, &Failure{Kind: KindHost, Detail: detail}
	}
	reply := Reply{Text: res.Text, Finish: "stop", Usage: res.Usage}
	splitThoughts(&reply)
	if strings.TrimSpace(reply.Text) == "" {
		kind := KindEmpty
		if reply.Reasoning != "" {
			kind = KindThinking
		}
		return reply, &Failure{Kind: kind, Detail: "the host's model said nothing"}
	}
	if len(c.req.Tools) > 0 {
		c.readCalls(&reply)
	}
	return reply, nil
}

func transportFailure(res HTTPResponse) *Failure {
	f := &Failure{Kind: KindNetwork, Status: res.Status, Detail: whole(res.Detail)}
	switch res.Failure {
	case "timeout":
		f.Kind = KindTimeout
	case "redirect":
		f.Kind = KindRedirect
	case "origin":
		f.Kind = KindOrigin
	case "cancelled":
		f.Kind = KindCancelled
	}
	return f
}

// printable reports whether a header can carry s once blanks around it, as from a pasted line, are taken off.
func printable(s string) bool {
	return !strings.ContainsFunc(strings.TrimSpace(s), func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// token reports whether s can be a header's name.
func token(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
