package opencode

import "strings"

// The keys of OpenCode's events that we look at. Every other key is the empty string to us, which costs
// nothing to keep.
var keyNames = func() map[string]string {
	names := map[string]string{}
	for k := range strings.FieldsSeq(`type text tool name reason status statusCode error message code input args arguments
		tokens output reasoning cache read write cost sessionID sessionId id callID isRetryable responseHeaders
		finish retry-after retry-after-ms responseBody data part state properties
		file path filePath filepath file_path fileName filename relativePath relative_path target files paths`) {
		names[k] = k
	}
	return names
}()

func known(key []byte) string { return keyNames[string(key)] }

// isPathKey tells the keys under which events name files.
func isPathKey(key string) bool {
	switch key {
	case "file", "path", "filePath", "filepath", "file_path", "fileName", "filename", "relativePath", "relative_path", "target", "files", "paths":
		return true
	}
	return false
}

// writeTools are the tools that author files, under the names that OpenCode and its kin use.
var writeTools = map[string]bool{
	"write": true, "edit": true, "multiedit": true, "patch": true, "apply_patch": true, "create": true,
	"write_file": true, "edit_file": true, "str_replace": true, "str_replace_editor": true,
	"str_replace_based_edit_tool": true,
}

// otherTools are known tools that author nothing through a path of theirs, whatever their events contain.
var otherTools = map[string]bool{
	"read": true, "grep": true, "glob": true, "list": true, "ls": true, "find": true, "bash": true, "shell": true,
	"webfetch": true, "websearch": true, "task": true, "subagent": true, "skill": true, "question": true,
	"todoread": true, "todowrite": true, "lsp": true, "invalid": true,
}
