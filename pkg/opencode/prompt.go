package opencode

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// CodeAuthoringModel is the alias that a caller sets as Adapter.Model when code is to be written: the endpoint
// resolves it to a model that writes code well. It is an alias and no catalog id, so the real model's name stays
// with the endpoint. Set it only where the endpoint knows it; an endpoint of the user's own gets no override.
const CodeAuthoringModel = "coding"

// NoOpAuthoringEscalation is appended to the task on the second and later attempts, after an attempt that
// ended well and wrote nothing. The first attempt's task is left byte for byte as it is. See Author.
const NoOpAuthoringEscalation = "\n\n" +
	"NOTE: a previous attempt explored the repository but ended without writing " +
	"any file. All required context is in this prompt — author the REQUIRED FILES " +
	"now. Do not end your session before issuing the write tool calls."

var (
	//go:embed prompts/in_tree.md
	inTreePrompt string
	//go:embed prompts/sidecar.md
	sidecarPrompt string
)

// maxField bounds one value in a prompt, in bytes. Names and types are short; a long one is no name.
const maxField = 80

// BuildTaskPrompt words the authoring task for a gap, from its structural fields alone: the same gap gives
// the same prompt, byte for byte. Each value is cut at 80 bytes, keeps letters, digits, blanks and the signs
// . _ : @ / + - (all else becomes _), and stands in a JSON object, so no value can end the object or carry a
// line of its own.
//
// customerShaped selects what is to be written: false a package of its own under core/detect/authored that
// registers itself, true a program under detectors/ for a repository that embeds the product. The caller
// derives it from the repository, never from a proposal.
func (a *Adapter) BuildTaskPrompt(gap TrustedGap, customerShaped bool) string {
	fields := struct {
		Detector string `json:"detector_id"`
		Event    string `json:"event_type"`
		Family   string `json:"target_family"`
		Severity string `json:"severity,omitempty"`
		Actor    string `json:"actor,omitempty"`
		Source   string `json:"source,omitempty"`
	}{
		structural(gap.DetectorID), structural(gap.EventType), structural(gap.family()),
		"", structural(gap.Actor), structural(gap.Source),
	}
	if s := strings.ToLower(strings.TrimSpace(gap.Severity)); slices.Contains([]string{"low", "medium", "high", "critical"}, s) {
		fields.Severity = s
	}
	data, _ := json.MarshalIndent(fields, "", "  ") // strings of plain ASCII always encode
	prompt := inTreePrompt
	if customerShaped {
		prompt = sidecarPrompt
	}
	prompt = strings.NewReplacer("{{gap}}", string(data), "{{package}}", gap.PackageName()).Replace(prompt)
	return strings.TrimSuffix(prompt, "\n")
}

func structural(value string) string {
	value = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune(" ._:@/+-", r):
			return r
		}
		return '_'
	}, strings.TrimSpace(value))
	return value[:min(len(value), maxField)]
}
