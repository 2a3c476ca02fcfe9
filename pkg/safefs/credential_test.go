package safefs

import (
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
)

func TestCredentialsAreKnownByTheirNames(t *testing.T) {
	secret := []string{
		".env", ".env.local", ".env.production", ".envrc", "app/.ENV", ".Env.Local", "conf/keys.env", ".env.bak", ".env~", ".env.",
		".env ", ".env:stream", ".e\u200bnv", ".env.example.local",
		"server.pem", "tls/server.KEY", "a.p12", "a.pfx", "store.jks", "id_rsa", "deploy_ed25519", "ID_ECDSA_SK", "id_rsa.old", "putty.ppk",
		".npmrc", ".netrc", "_netrc", ".pypirc", ".pgpass", ".git-credentials", ".dockercfg", "sub/.npmrc",
		".ssh/config", ".\u017f\u017fh/known_hosts", ".aws/credentials", ".AWS/config", ".gnupg/pubring.kbx", ".config/gcloud/x/y.db", ".kube/config", "kubeconfig", "prod.kubeconfig",
		".docker/config.json", ".config/gh/hosts.yml", ".git/config", "sub/.git/modules/x/config",
		"opencode.json", "opencode.jsonc", ".opencode/opencode.jsonc", "OpenCode.json", ".config/opencode/advisor.json", ".local/share/opencode/auth.json", ".pi/agent/auth.json",
		".\u212aube/config", // the Kelvin sign
		".env",
	}
	for _, name := range secret {
		if Credential(name) == "" {
			t.Errorf("%q must be refused", name)
		}
	}
	plain := []string{
		".env.example", ".env.sample", ".env.template", ".env.production.example", "src/env.ts", "environment.go", "locales/auth.json", "src/auth.json",
		"id_rsa.pub", "keys.go", "pem.go", "monkey", "keyboard.keymap", "npmrc", "src/ssh/client.go", "docker/config.json", "gcloud/x.py",
		".github/workflows/ci.yml", ".gitignore", ".git/HEAD", "config", "kube/config", "advisor.go", "opencode.ts", "rsa.go", "rsa", "src/config.json", "",
	}
	for _, name := range plain {
		if why := Credential(name); why != "" {
			t.Errorf("%q must be readable, and is taken for %s", name, why)
		}
	}
}

// TestTheShortcutForNamesMissesNone puts names together from all that the tables hold, and asks both ways.
func TestTheShortcutForNamesMissesNone(t *testing.T) {
	parts := []string{"", "a", "~", ".", "..", "_", "config", "credentials", "x.y"}
	for _, table := range []map[string]string{credentialFolders, credentialFiles, credentialExtensions} {
		for name := range table {
			parts = append(parts, name)
		}
	}
	for _, b := range credentialBelow {
		parts = append(parts, b.file)
	}
	parts = append(append(parts, backups...), credentialKinds...)
	found := 0
	for _, parent := range []string{"", "src", ".git", "x/.docker", ".config/gcloud/y", "opencode", ".pi", ".codex", ".config/gh"} {
		for _, a := range parts {
			for _, b := range parts {
				for _, c := range []string{"", "~", ".bak", ".old~", "z"} {
					name := foldName(a + b + c)
					want := lookUp(parent, name, true)
					if want != "" {
						found++
					}
					if got := credentialName(parent, name, true); got != want {
						t.Fatalf("%q in %q: %q, want %q", name, parent, got, want)
					}
				}
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d names of credentials were tried, want thousands", found)
	}
}

func TestCredentialsAreRefusedByEveryWay(t *testing.T) {
	disk := memfs.New("/work")
	for _, name := range []string{".env", ".ssh/id_rsa", "config/.ENV.local", "src/a.go"} {
		disk.Write(name, "SECRET")
	}
	disk.Symlink(".env", "settings.txt")     // a harmless name for a secret
	disk.Symlink("src/a.go", ".env.staging") // a secret's name for a harmless file
	disk.Symlink(".ssh", "keys")
	disk.Symlink("keys/id_rsa", "deploy")
	fs, err := New(disk, "/work")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, why string }{
		{".env", whyEnv}, {"./src/../.env", whyEnv}, {"/work/.env", whyEnv}, {"settings.txt", whyEnv}, {"config/.ENV.local", whyEnv},
		{".env.staging", whyEnv}, {".ssh", whyKey}, {".ssh/id_rsa", whyKey}, {"keys", whyKey}, {"keys/id_rsa", whyKey}, {"deploy", whyKey},
		{".env.not.there", whyEnv}, // whether it exists is not told either
	}
	for _, tt := range tests {
		_, text, err := fs.ReadFile(tt.path, 100)
		want := Quote(tt.path) + " is " + tt.why + ", which the advisor never reads; judge by the code that uses it"
		if err == nil || err.Error() != want {
			t.Errorf("read %q: got %q, %v\nwant %s", tt.path, text, err, want)
		}
	}
	if disk.Reads != 0 {
		t.Errorf("the host was asked to read %d times, want never", disk.Reads)
	}
	if _, err := fs.Entry(Entry{Rel: ".ssh/id_rsa"}); KindOf(err) != KindCredential {
		t.Errorf("Entry: got %v, want a refusal", err)
	}
}

func TestAWorkspaceOfSecretsHasNothingToRead(t *testing.T) {
	disk := memfs.New("/home/u/.ssh/project")
	disk.Write("main.go", "package main")
	fs, err := New(disk, "/home/u/.ssh/project")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := fs.ReadFile("main.go", 100); KindOf(err) != KindCredential {
		t.Errorf("got %v, want a refusal", err)
	}
}
