package tools

import (
	"fmt"
	"strings"
	"testing"
)

func TestGlobNamesFiles(t *testing.T) {
	b := newBench(t, map[string]string{
		"main.go": "", "src/a.ts": "", "src/a.test.ts": "", "src/deep/b.ts": "", "dist/a.js": "", "logs/x.log": "", ".gitignore": "logs/\n", ".env": "", "src/.env.local": "",
	})
	b.disk.Symlink("main.go", "entry.go")
	b.disk.Symlink("/etc/passwd", "out.go")
	tests := []struct{ args, want string }{
		{`{"pattern":"*.ts"}`, "3 names match \"*.ts\"\nsrc/a.test.ts\nsrc/a.ts\nsrc/deep/b.ts\n[left out: dist/; 1 name hidden by .gitignore; 2 credential files]\n"},
		{`{"pattern":"src/*.ts"}`, "2 names match \"src/*.ts\"\nsrc/a.test.ts\nsrc/a.ts\n[left out: 1 credential file]\n"},
		{`{"pattern":"*.ts","path":"src/deep"}`, "1 name matches \"*.ts\" in src/deep\nsrc/deep/b.ts\n"},
		{`{"pattern":"**/d*"}`, "1 name matches \"**/d*\"\nsrc/deep/\n[left out: dist/; 1 name hidden by .gitignore; 2 credential files]\n"},
		{`{"pattern":"dist/**"}`, "1 name matches \"dist/**\"\ndist/a.js\n"},
		{`{"pattern":"*.log","path":"logs"}`, "1 name matches \"*.log\" in logs\nlogs/x.log\n"},
		{`{"pattern":"*.go"}`, "2 names match \"*.go\"\nentry.go@\nmain.go\n[1 symbolic link that cannot be followed not shown]\n[left out: dist/; 1 name hidden by .gitignore; 2 credential files]\n"},
		{`{"path":"src/*.ts"}`, "2 names match \"src/*.ts\"\nsrc/a.test.ts\nsrc/a.ts\n[left out: 1 credential file]\n"},
		{`{"pattern":"/work/src/*.ts"}`, "2 names match \"src/*.ts\"\nsrc/a.test.ts\nsrc/a.ts\n[left out: 1 credential file]\n"},
		{`{"pattern":"/src/*.ts"}`, "2 names match \"src/*.ts\"\nsrc/a.test.ts\nsrc/a.ts\n[left out: 1 credential file]\n"},
		{`{"pattern":"../src/*.ts","path":"src"}`, "2 names match \"src/*.ts\"\nsrc/a.test.ts\nsrc/a.ts\n[left out: 1 credential file]\n"},
		{`{"pattern":"*.rs"}`, "no names match \"*.rs\"\n[left out: dist/; 1 name hidden by .gitignore; 2 credential files]\n"},
		{`{"pattern":".env*"}`, "no names match \".env*\"\n[left out: dist/; 1 name hidden by .gitignore; 2 credential files]\n"},
		{`{"pattern":"../*"}`, `! glob: "../*" leads out of the workspace; give a pattern below it`},
		{`{"pattern":"../../x*","path":"src/deep/.."}`, `! glob: "../../x*" leads out of the workspace; give a pattern below it`},
		{`{"path":"/outside/*"}`, `! glob: "/outside/" is outside the workspace; only files inside it can be read`},
		{`{"pattern":"/etc/**/*.conf"}`, `! glob: "/etc/" is outside the workspace; only files inside it can be read`},
		{`{"pattern":"*.ts","path":"main.go"}`, `! glob: "main.go" is a file; use read to see it`},
		{`{"pattern":"scr/*.ts"}`, `! glob: "scr" does not exist in the workspace; find the file with glob`},
	}
	for _, tt := range tests {
		b.want(t, Glob, tt.args, tt.want)
	}
}

func TestGlobIsBounded(t *testing.T) {
	b := newBench(t, nil)
	for i := range 3000 {
		b.disk.Write(fmt.Sprintf("d/f%04d.go", i), "")
	}
	got := b.run(Glob, `{"pattern":"*.go"}`).Text
	if !strings.HasPrefix(got, "3,000 names match \"*.go\"\nd/f0000.go\n") || !strings.HasSuffix(got, "d/f0199.go\n[cut by this tool at 200 names; narrow the pattern or the path to see the rest]\n") {
		t.Errorf("got %.80q ... %q", got, got[len(got)-120:])
	}
}
