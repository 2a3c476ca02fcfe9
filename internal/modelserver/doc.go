// Package modelserver is a scripted, OpenAI-compatible chat-completions server on a loopback
// port: the model that every test talks to. A script says, per model, what to answer to each
// request (text, tool calls, a cut-off call, an error status, a stalled stream, nothing at all); the
// server records what was asked. One implementation serves the Go tests, the JavaScript tests (through
// internal/modelserver/cmd) and the demo.
//
// # Script
//
// A script is one JSON object:
//
//	{
//	  "requestCap": 200,
//	  "models": {
//	    "primary":  [{"directive": true, "delayMs": 100}],
//	    "reviewer": [
//	      {"match": "src/pay.js", "toolCalls": [{"name": "read", "args": {"path": "src/pay.js"}}]},
//	      {"status": 429, "headers": {"retry-after": "1"}},
//	      {"every": {"text": "No issues ({n})."}}
//	    ]
//	  }
//	}
//
// A key of "models" is a model id, or a role: "primary" stands for the ids m1, m2 and so on,
// "reviewer" for every other id. An exact id goes before the role. The first reply of the list that
// is not used up and whose "match" occurs in the request's last message is given; a plain reply is
// used once, one under "every" for ever. When none is left the answer is a fixed text, and the
// record says unscripted.
//
// Requests that a host makes on its own account (a title for the session, or any request to the model
// id "small") get a harmless text and use up no reply.
//
// # HTTP
//
//	POST /v1/chat/completions   the model; any path that ends so is served
//	GET  /v1/models             the ids of the script
//	POST /script                replaces the script and forgets the records
//	GET  /requests              the records, as a JSON array
//	GET  /wait?n=2&model=m1&role=reviewer&done=1&timeoutMs=5000
//	                            the matching chat records once there are n of them (408 with those
//	                            there are when the time is over; done counts finished replies only)
package modelserver
