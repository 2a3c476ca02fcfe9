package config

import "slices"

// service is a provider whose OpenAI-compatible endpoint is public knowledge.
type service struct {
	id  string
	url string
	env []string // variables that hold its key, the usual one first
	// native are base URLs by which hosts know the same service, but which do
	// not speak chat completions.
	native  []string
	keyless bool // runs on this machine and wants no key
}

// services have the provider ids that OpenCode and pi use. A key from auth.json or from
// the environment goes to the URL that stands here, and nowhere else. It is a list, which is data: a map
// would be filled by 10 KB of code at each start of the guest.
var services = []service{
	{id: "alibaba", url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", env: []string{"DASHSCOPE_API_KEY"}},
	{id: "alibaba-cn", url: "https://dashscope.aliyuncs.com/compatible-mode/v1", env: []string{"DASHSCOPE_API_KEY"}},
	{id: "anthropic", url: "https://api.anthropic.com/v1", env: []string{"ANTHROPIC_API_KEY"}, native: []string{"https://api.anthropic.com"}},
	{id: "baseten", url: "https://inference.baseten.co/v1", env: []string{"BASETEN_API_KEY"}},
	{id: "cerebras", url: "https://api.cerebras.ai/v1", env: []string{"CEREBRAS_API_KEY"}},
	{id: "cohere", url: "https://api.cohere.ai/compatibility/v1", env: []string{"COHERE_API_KEY"}, native: []string{"https://api.cohere.ai/v2", "https://api.cohere.com/v2"}},
	{id: "deepinfra", url: "https://api.deepinfra.com/v1/openai", env: []string{"DEEPINFRA_API_KEY"}},
	{id: "deepseek", url: "https://api.deepseek.com/v1", env: []string{"DEEPSEEK_API_KEY"}},
	{id: "fireworks-ai", url: "https://api.fireworks.ai/inference/v1", env: []string{"FIREWORKS_API_KEY"}},
	{id: "google", url: "https://generativelanguage.googleapis.com/v1beta/openai", env: []string{"GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"}, native: []string{"https://generativelanguage.googleapis.com/v1beta"}},
	{id: "groq", url: "https://api.groq.com/openai/v1", env: []string{"GROQ_API_KEY"}},
	{id: "huggingface", url: "https://router.huggingface.co/v1", env: []string{"HF_TOKEN"}},
	{id: "lmstudio", url: "http://127.0.0.1:1234/v1", keyless: true},
	{id: "mistral", url: "https://api.mistral.ai/v1", env: []string{"MISTRAL_API_KEY"}},
	{id: "moonshotai", url: "https://api.moonshot.ai/v1", env: []string{"MOONSHOT_API_KEY"}},
	{id: "moonshotai-cn", url: "https://api.moonshot.cn/v1", env: []string{"MOONSHOT_API_KEY"}},
	{id: "nvidia", url: "https://integrate.api.nvidia.com/v1", env: []string{"NVIDIA_API_KEY"}},
	{id: "ollama", url: "http://127.0.0.1:11434/v1", keyless: true},
	{id: "openai", url: "https://api.openai.com/v1", env: []string{"OPENAI_API_KEY"}},
	{id: "opencode", url: "https://opencode.ai/zen/v1", env: []string{"OPENCODE_API_KEY"}},
	{id: "openrouter", url: "https://openrouter.ai/api/v1", env: []string{"OPENROUTER_API_KEY"}},
	{id: "perplexity", url: "https://api.perplexity.ai", env: []string{"PERPLEXITY_API_KEY"}},
	{id: "siliconflow", url: "https://api.siliconflow.com/v1", env: []string{"SILICONFLOW_API_KEY"}},
	{id: "togetherai", url: "https://api.together.xyz/v1", env: []string{"TOGETHER_API_KEY"}},
	{id: "vercel", url: "https://ai-gateway.vercel.sh/v1", env: []string{"AI_GATEWAY_API_KEY"}},
	{id: "xai", url: "https://api.x.ai/v1", env: []string{"XAI_API_KEY"}},
	{id: "zai", url: "https://api.z.ai/api/paas/v4", env: []string{"ZAI_API_KEY", "ZHIPU_API_KEY"}},
	{id: "zai-coding-plan", url: "https://api.z.ai/api/coding/paas/v4", env: []string{"ZAI_API_KEY", "ZHIPU_API_KEY"}},
	{id: "zhipuai", url: "https://open.bigmodel.cn/api/paas/v4", env: []string{"ZHIPU_API_KEY"}},

	// Names that people use for the above.
	{id: "fireworks", url: "https://api.fireworks.ai/inference/v1", env: []string{"FIREWORKS_API_KEY"}},
	{id: "moonshot", url: "https://api.moonshot.ai/v1", env: []string{"MOONSHOT_API_KEY"}},
	{id: "together", url: "https://api.together.xyz/v1", env: []string{"TOGETHER_API_KEY"}},
}

// serviceOf gives the service of a provider's id, if it is known.
func serviceOf(id string) (service, bool) {
	at := slices.IndexFunc(services, func(s service) bool { return s.id == id })
	if at < 0 {
		return service{}, false
	}
	return services[at], true
}

// speaking gives the URL at which a service speaks chat completions, for a
// URL by which a host or a file knows the same service. Others stay as they are.
func speaking(provider, clean string) string {
	s, _ := serviceOf(provider)
	for _, native := range s.native {
		if native == clean {
			return s.url
		}
	}
	return clean
}
