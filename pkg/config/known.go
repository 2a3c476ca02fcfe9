package config

// service is a provider whose OpenAI-compatible endpoint is public knowledge.
type service struct {
	url string
	env []string // variables that hold its key, the usual one first
	// native are base URLs by which hosts know the same service, but which do
	// not speak chat completions.
	native  []string
	keyless bool // runs on this machine and wants no key
}

// services is keyed by the provider ids that OpenCode and pi use. A key from auth.json or from
// the environment goes to the URL that stands here, and nowhere else.
var services = map[string]service{
	"alibaba":         {url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", env: []string{"DASHSCOPE_API_KEY"}},
	"alibaba-cn":      {url: "https://dashscope.aliyuncs.com/compatible-mode/v1", env: []string{"DASHSCOPE_API_KEY"}},
	"anthropic":       {url: "https://api.anthropic.com/v1", env: []string{"ANTHROPIC_API_KEY"}, native: []string{"https://api.anthropic.com"}},
	"baseten":         {url: "https://inference.baseten.co/v1", env: []string{"BASETEN_API_KEY"}},
	"cerebras":        {url: "https://api.cerebras.ai/v1", env: []string{"CEREBRAS_API_KEY"}},
	"cohere":          {url: "https://api.cohere.ai/compatibility/v1", env: []string{"COHERE_API_KEY"}, native: []string{"https://api.cohere.ai/v2", "https://api.cohere.com/v2"}},
	"deepinfra":       {url: "https://api.deepinfra.com/v1/openai", env: []string{"DEEPINFRA_API_KEY"}},
	"deepseek":        {url: "https://api.deepseek.com/v1", env: []string{"DEEPSEEK_API_KEY"}},
	"fireworks-ai":    {url: "https://api.fireworks.ai/inference/v1", env: []string{"FIREWORKS_API_KEY"}},
	"google":          {url: "https://generativelanguage.googleapis.com/v1beta/openai", env: []string{"GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"}, native: []string{"https://generativelanguage.googleapis.com/v1beta"}},
	"groq":            {url: "https://api.groq.com/openai/v1", env: []string{"GROQ_API_KEY"}},
	"huggingface":     {url: "https://router.huggingface.co/v1", env: []string{"HF_TOKEN"}},
	"lmstudio":        {url: "http://127.0.0.1:1234/v1", keyless: true},
	"mistral":         {url: "https://api.mistral.ai/v1", env: []string{"MISTRAL_API_KEY"}},
	"moonshotai":      {url: "https://api.moonshot.ai/v1", env: []string{"MOONSHOT_API_KEY"}},
	"moonshotai-cn":   {url: "https://api.moonshot.cn/v1", env: []string{"MOONSHOT_API_KEY"}},
	"nvidia":          {url: "https://integrate.api.nvidia.com/v1", env: []string{"NVIDIA_API_KEY"}},
	"ollama":          {url: "http://127.0.0.1:11434/v1", keyless: true},
	"openai":          {url: "https://api.openai.com/v1", env: []string{"OPENAI_API_KEY"}},
	"opencode":        {url: "https://opencode.ai/zen/v1", env: []string{"OPENCODE_API_KEY"}},
	"openrouter":      {url: "https://openrouter.ai/api/v1", env: []string{"OPENROUTER_API_KEY"}},
	"perplexity":      {url: "https://api.perplexity.ai", env: []string{"PERPLEXITY_API_KEY"}},
	"siliconflow":     {url: "https://api.siliconflow.com/v1", env: []string{"SILICONFLOW_API_KEY"}},
	"togetherai":      {url: "https://api.together.xyz/v1", env: []string{"TOGETHER_API_KEY"}},
	"vercel":          {url: "https://ai-gateway.vercel.sh/v1", env: []string{"AI_GATEWAY_API_KEY"}},
	"xai":             {url: "https://api.x.ai/v1", env: []string{"XAI_API_KEY"}},
	"zai":             {url: "https://api.z.ai/api/paas/v4", env: []string{"ZAI_API_KEY", "ZHIPU_API_KEY"}},
	"zai-coding-plan": {url: "https://api.z.ai/api/coding/paas/v4", env: []string{"ZAI_API_KEY", "ZHIPU_API_KEY"}},
	"zhipuai":         {url: "https://open.bigmodel.cn/api/paas/v4", env: []string{"ZHIPU_API_KEY"}},

	// Names that people use for the above.
	"fireworks": {url: "https://api.fireworks.ai/inference/v1", env: []string{"FIREWORKS_API_KEY"}},
	"moonshot":  {url: "https://api.moonshot.ai/v1", env: []string{"MOONSHOT_API_KEY"}},
	"together":  {url: "https://api.together.xyz/v1", env: []string{"TOGETHER_API_KEY"}},
}

// speaking gives the URL at which a service speaks chat completions, for a
// URL by which a host or a file knows the same service. Others stay as they are.
func speaking(provider, clean string) string {
	s := services[provider]
	for _, native := range s.native {
		if native == clean {
			return s.url
		}
	}
	return clean
}
