package llm

// The phrases are parts of what vendors say, lower case; the vendors are named where one alone says it so.
var overflowWords = []string{
	"context_length_exceeded", "maximum context length", "context length exceeded", "exceeds the context length",
	"maximum prompt length",                      // xAI
	"prompt is too long", "exceed context limit", // Anthropic
	"input token count",                                    // Google: exceeds the maximum number of tokens allowed
	"exceeded model token limit",                           // Moonshot
	"reduce the length of the messages",                    // Groq, OpenAI
	"exceed the configured limit",                          // OpenAI: input tokens
	"exceeds the available context", "exceed_context_size", // llama.cpp
	"greater than the context length", "context the overflows", // LM Studio
	"context length of only",                                // LM Studio
	"maximum model length", "longer than the maximum model", // vLLM
	"input is too long", "too many input tokens", // Bedrock
	"maximum context",    // Mistral: too large for model with ... maximum context length
	"prompt token count", // Copilot: exceeds the limit of
	"context window exceeds", "exceeds the context window", "context window is full",
	"prompt exceeds max length", // Zhipu
	"range of input length",     // Qwen
	"while limit is",            // Cerebras: current length is 9000 while limit is 8192
	"model_context_window_exceeded", "string too long", "string_above_max_length",
}

var quotaWords = []string{
	"insufficient_quota", "exceeded_current_quota", "insufficient balance", "insufficient_balance", "insufficient credit",
	"credit balance is too low", "requires more credits", "billing_hard_limit", "billing hard limit", "billing_not_active",
	"out of credits", "doesn't have any credits", "payment required", "余额不足", "欠费", "arrearage",
}

var rateWords = []string{
	"rate_limit", "rate limit", "too many requests", "resource_exhausted", "engine_overloaded", "tokens per min", "requests per min",
	"overloaded_error", "exceeded your current quota",
}

var toolWords = []string{
	"does not support tools", "doesn't support tools", // Ollama
	"support tool use", "support tool calling", "support tool calls", "support function calling",
	"enable-auto-tool-choice", "tool-call-parser", // vLLM
	"tools param requires", "requires --jinja", // llama.cpp
	"function calling is not", "function calling not", "tool calling is not", "tool use is not", "tool calls are not", "tool use not",
	"tools are not supported", "tools is not supported", "tools not supported", "tools are not allowed",
	"parameter: 'tools'", "parameter: tools", "parameter: `tools`", "argument supplied: tools", "argument: tools", "'tools' is not supported", "`tools` is not supported",
	"'tools' was unexpected", "unknown field: tools", "unknown field \"tools\"", "unknown parameter 'tools'", "unsupported field: tools",
}

var keyWords = []string{
	"invalid_api_key", "api key not valid", "api_key_invalid", "invalid api key", "incorrect api key", "invalid x-api-key", "authentication_error", "missing api key",
	"authentication fails", "invalid authentication", "unauthorized", "permission_error",
}

var modelWords = []string{
	"model_not_found", "model not exist", "not a valid model", "no such model", "unknown model", "unknown_model", "invalid model name",
	"model not found", "not found the model", "try pulling it", "model does not exist", "does not exist or you do not have access",
	"no models loaded", "model is not loaded", "failed to load model", "model_not_supported",
}

// refusals are what makes a mention of a parameter a complaint about it.
var refusals = []string{
	"unsupported", "not supported", "does not support", "doesn't support", "unrecognized", "unknown", "not permitted", "unexpected", "invalid", "not allowed",
	"incompatible", "extra_forbidden", "extra inputs", "only the default", "deprecated", "cannot be", "must be", "is too large", "not a valid", "no longer",
}
