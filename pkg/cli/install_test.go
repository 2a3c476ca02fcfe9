package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const global = "/home/ada/.config/opencode/"

func TestInstall(t *testing.T) {
	const own = "{\n  // mine\n  \"model\": \"a/b\"\n}\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		line  string
		path  string
		want  string
	}{
		{"a new file", nil, "install", global + "opencode.jsonc", "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"plugin\": [\"opencode-superadvisor\"]\n}\n"},
		{"the file that is there", map[string]string{global + "opencode.json": own}, "install", global + "opencode.json",
			"{\n  // mine\n  \"model\": \"a/b\",\n  \"plugin\": [\"opencode-superadvisor\"]\n}\n"},
		{"the file with the list", map[string]string{global + "opencode.jsonc": own, global + "opencode.json": `{"plugin":["a"]}`}, "install", global + "opencode.json",
			`{"plugin":["a", "opencode-superadvisor"]}`},
		{"V2's list", map[string]string{global + "opencode.jsonc": `{"plugins":["a"],"plugin":["b"]}`}, "install", global + "opencode.jsonc",
			`{"plugins":["a", "opencode-superadvisor"],"plugin":["b"]}`},
		{"the project's root", map[string]string{"/home/ada/project/.git/HEAD": ""}, "install --project", project + "/opencode.jsonc",
			"{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"plugin\": [\"opencode-superadvisor\"]\n}\n"},
		{"the project's own file", map[string]string{project + "/.opencode/opencode.json": `{}`}, "install --project", project + "/.opencode/opencode.json",
			`{ "plugin": ["opencode-superadvisor"] }`},
		{"a file by name", map[string]string{project + "/my.json": `{}`}, "install --file ./my.json", project + "/my.json", `{ "plugin": ["opencode-superadvisor"] }`},
		{"another spec", nil, "install --spec /opt/advisor", global + "opencode.jsonc", "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"plugin\": [\"/opt/advisor\"]\n}\n"},
		{"pi", map[string]string{"/home/ada/.pi/agent/settings.json": "{\n  \"theme\": \"dark\"\n}"}, "install --pi", "/home/ada/.pi/agent/settings.json",
			"{\n  \"theme\": \"dark\",\n  \"packages\": [\"npm:opencode-superadvisor\"]\n}"},
		{"pi's project", nil, "install --pi --project", project + "/.pi/settings.json", "{\n  \"packages\": [\"npm:opencode-superadvisor\"]\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := fresh(t)
			for path, text := range c.files {
				d.FS.Write(path, text)
			}
			words := strings.Fields(c.line)
			dry, err, code := d.run(append(words, "--dry-run")...)
			if code != OK || err != "" || len(d.writes) != 0 || !strings.Contains(dry, "+++ "+c.path+"\n") {
				t.Errorf("dry run: code %d, wrote %v, %s%s", code, d.writes, dry, err)
			}
			out, err, code := d.run(words...)
			if code != OK || err != "" || !strings.HasPrefix(out, "Added ") {
				t.Fatalf("code %d, %s%s", code, out, err)
			}
			if diff := cmp.Diff([]string{c.path}, d.writes); diff != "" {
				t.Error("what was written: ", diff)
			}
			if got, _ := d.text(c.path); got != c.want {
				t.Error(cmp.Diff(c.want, got))
			}
			if was, there := c.files[c.path]; there {
				if got, _ := d.text(c.path + ".bak"); got != was {
					t.Errorf("the copy holds %q", got)
				}
			}
			if out, _, code := d.run(words...); code != OK || len(d.writes) != 1 || !strings.Contains(out, "already; nothing to do.") {
				t.Errorf("a second time: code %d, %s", code, out)
			}
			words[0] = "uninstall"
			if out, err, code := d.run(words...); code != OK || !strings.HasPrefix(out, "Took ") || !strings.Contains(out, c.path+".bak") {
				t.Errorf("uninstall: code %d, %s%s", code, out, err)
			}
			if out, _, code := d.run(words...); code != OK || !strings.HasSuffix(out, "does not list opencode-superadvisor; nothing to do.\n") {
				t.Errorf("uninstall again: code %d, %s", code, out)
			}
		})
	}
}

func TestWhichEntryIsOurs(t *testing.T) {
	d := fresh(t)
	d.FS.Write("/opt/checkout/package.json", `{"name":"opencode-superadvisor"}`)
	d.FS.Write("/opt/other/package.json", `{"name":"other"}`)
	for spec, want := range map[string]bool{
		"opencode-superadvisor": true, "opencode-superadvisor@0.1.0": true, "npm:opencode-superadvisor": true, "npm:opencode-superadvisor@1": true,
		"/home/ada/opencode-superadvisor": true, "file:///home/ada/opencode-superadvisor/index.js": true, "/x/node_modules/opencode-superadvisor/dist/plugin.js": true,
		"/opt/checkout": true, "file:///opt/checkout/": true, "../checkout": true,
		"opencode-superadvisor-extra": false, "@me/opencode-superadvisors": false, "/opt/other": false, "/opt/none": false, "": false, "advisor": false,
	} {
		c := &call{Host: d, values: map[string]string{}}
		if got := c.ours(spec, "/opt/project"); got != want {
			t.Errorf("%q: %v", spec, got)
		}
	}
}

func TestUninstallTakesEveryEntryOfOurs(t *testing.T) {
	d := fresh(t)
	d.FS.Write(global+"opencode.jsonc", "{\"plugin\": [\n  \"opencode-superadvisor@1\", // the old one\n  \"a\",\n  [\"opencode-superadvisor\", {\"reviewInterval\": 2}]\n]}\n")
	out, err, code := d.run("uninstall")
	got, _ := d.text(global + "opencode.jsonc")
	if want := "{\"plugin\": [\n   // the old one\n  \"a\"\n]}\n"; code != OK || got != want {
		t.Errorf("code %d, %s%s%s", code, out, err, cmp.Diff(want, got))
	}
}

func TestInstallThatCannotBe(t *testing.T) {
	file := global + "opencode.jsonc"
	for _, c := range []struct {
		name    string
		prepare func(d *desk)
		want    string
	}{
		{"not JSON", func(d *desk) { d.FS.Write(file, "{\"plugin\": [}") }, "mend " + file + " first: line 1, column 13: want a value"},
		{"not a list", func(d *desk) { d.FS.Write(file, `{"plugin": "a"}`) }, "mend " + file + " first: plugin is not a list"},
		{"not UTF-8", func(d *desk) { d.FS.Write(file, "{} // \xff") }, "mend " + file + " first: it is not UTF-8 text"},
		{"a folder", func(d *desk) { d.Mkdir(file) }, "cannot read " + file + ": is a folder"},
		{"a link to nothing", func(d *desk) { d.Symlink("/nowhere", file) },
			"cannot read " + file + ": it is a link that leads nowhere (no such file or folder); mend or remove it"},
		{"not to be read", func(d *desk) { d.FS.Write(file, "{}"); d.Fail(file, protocol.ErrnoPermission) }, "cannot read " + file + ": permission denied"},
		{"not to be written", func(d *desk) { d.broken = "EROFS: read-only file system" },
			"cannot write " + file + ": EROFS: read-only file system. Nothing was changed."},
	} {
		d := fresh(t)
		c.prepare(d)
		before, _ := d.text(file)
		out, err, code := d.run("install")
		if out != "" || err != "superadvisor install: "+c.want+"\n" || code != Failed {
			t.Errorf("%s: code %d, %s%s", c.name, code, out, err)
		}
		if after, _ := d.text(file); after != before || len(d.writes) > 0 {
			t.Errorf("%s: the file was changed", c.name)
		}
	}
}

func TestInstallThroughALink(t *testing.T) {
	d := fresh(t)
	d.FS.Write("/home/ada/dotfiles/oc.jsonc", "{}")
	d.Symlink("/home/ada/dotfiles/oc.jsonc", global+"opencode.jsonc")
	if out, err, code := d.run("install"); code != OK {
		t.Errorf("code %d, %s%s", code, out, err)
	}
	if diff := cmp.Diff([]string{"/home/ada/dotfiles/oc.jsonc"}, d.writes); diff != "" {
		t.Error("the link itself must stay: ", diff)
	}
}

func TestBackupsAreNotWrittenOver(t *testing.T) {
	d := fresh(t)
	d.FS.Write(global+"opencode.jsonc", "{}")
	d.FS.Write(global+"opencode.jsonc.bak", "precious")
	if _, err, code := d.run("install"); code != OK {
		t.Error(err)
	}
	if kept, _ := d.text(global + "opencode.jsonc.bak"); kept != "precious" {
		t.Errorf("the older copy holds %q", kept)
	}
	if copied, _ := d.text(global + "opencode.jsonc.bak.1"); copied != "{}" {
		t.Errorf("the copy holds %q", copied)
	}
}

func TestDryRunShowsWhatWouldChange(t *testing.T) {
	d := fresh(t)
	d.FS.Write(global+"opencode.jsonc", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"plugin\": [\n    \"x\"\n  ],\n  \"d\": 4,\n  \"e\": 5,\n  \"f\": 6\n}\n")
	out, _, _ := d.run("install", "--dry-run")
	want := "--- " + global + "opencode.jsonc\n+++ " + global + "opencode.jsonc\n@@ -3 +3 @@\n" +
		"   \"b\": 2,\n   \"c\": 3,\n   \"plugin\": [\n-    \"x\"\n+    \"x\",\n+    \"opencode-superadvisor\"\n   ],\n   \"d\": 4,\n   \"e\": 5,\n"
	if out != want {
		t.Error(cmp.Diff(want, out))
	}
}
