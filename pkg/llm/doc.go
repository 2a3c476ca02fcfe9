// Package llm talks to a model: it encodes OpenAI-compatible chat completions, reads the
// replies as vendors really send them (JSON or server-sent events, whatever was asked
// for), and keeps the retry policy of one call inside one absolute deadline.
//
// It does no input or output itself. The caller hands in a Port, whose methods may
// suspend the caller's task; everything here is straight-line code. What goes wrong comes
// back as a Failure, which names its kind and the sentence that mends it.
//
// Models without native tool calls, and hosts that can only turn one prompt into one
// text, are served by the same JSON protocol in text: see ParseText and FlattenPrompt.
package llm
