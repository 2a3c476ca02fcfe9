package evidence

import (
	"fmt"
	"strings"
	"testing"
)

const guardDiff = `--- a/src/pay.js
+++ b/src/pay.js
@@ -5,3 +5,4 @@
 export function refund(amount, key) {
+  if (seen.has(key)) return balance
   balance -= amount
   return balance
`

func TestCheckPatch(t *testing.T) {
	tests := []struct {
		name, patch string
		want        bool
	}{
		{"a unified diff", guardDiff, true},
		{"in a fence", "```diff\n" + guardDiff + "```\n", true},
		{"with git's headers", "diff --git a/src/pay.js b/src/pay.js\nindex 12..34 100644\n" + guardDiff, true},
		{"without file headers", guardDiff[strings.Index(guardDiff, "@@"):], true},
		{"at a line that is off", strings.Replace(guardDiff, "-5,3 +5,4", "-95,3 +95,4", 1), true},
		{"with lengths that are wrong", strings.Replace(guardDiff, "-5,3 +5,4", "-5,9 +5,2", 1), true},
		{"without line numbers, one place", strings.Replace(guardDiff, "@@ -5,3 +5,4 @@", "@@", 1), true},
		{"CRLF", strings.ReplaceAll(guardDiff, "\n", "\r\n"), true},
		{"a removed line", "@@ -6 +6 @@\n-  balance -= amount\n+  balance -= Math.abs(amount)\n", true},
		{"an insertion without context", "@@ -1,0 +2,1 @@\n+let seen = new Set()\n", true},
		{"an insertion beyond the end", "@@ -99,0 +100,1 @@\n+let seen = new Set()\n", false},
		{"an insertion nowhere", "@@ @@\n+let seen = new Set()\n", false},
		{"context that is not there", strings.Replace(guardDiff, "balance -= amount", "balance -= total", 1), false},
		{"other indentation", strings.Replace(guardDiff, "   balance -= amount", " \tbalance -= amount", 1), false},
		{"no line numbers, two places", "@@\n }\n+// end\n", false},
		{"two places and a number", "@@ -8 +8,2 @@\n }\n+// end\n", true},
		{"no such file", strings.ReplaceAll(guardDiff, "src/pay.js", "src/ghost.js"), false},
		{"outside", strings.ReplaceAll(guardDiff, "src/pay.js", "../../etc/passwd"), false},
		{"a credential file", "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-A=1\n+A=2\n", false},
		{"nothing changes", "@@ -6 +6 @@\n-  balance -= amount\n+  balance -= amount\n", false},
		{"context alone", "@@ -6 +6 @@\n   balance -= amount\n", false},
		{"a new file", "--- /dev/null\n+++ b/src/seen.js\n@@ -0,0 +1,2 @@\n+export const seen = new Set()\n+\n", true},
		{"a new file that exists", "--- /dev/null\n+++ b/src/pay.js\n@@ -0,0 +1 @@\n+x\n", false},
		{"two hunks in order", "@@ -1 +1 @@\n-let balance = 100\n+let balance = 0\n@@ -7 +7 @@\n-  return balance\n+  return 0\n", true},
		{"two hunks, the second before the first", "@@ -7 +7 @@\n-  return balance\n+  return 0\n@@ -1 +1 @@\n-let balance = 100\n+let balance = 0\n", false},
		{"two files, one does not fit", guardDiff + "--- a/empty.txt\n+++ b/empty.txt\n@@ -1 +1 @@\n-x\n+y\n", false},
		{"a part on top of a part", guardDiff + "--- a/src/pay.js\n+++ b/src/pay.js\n@@ -6 +6 @@\n-  if (seen.has(key)) return balance\n+  if (done.has(key)) return balance\n", true},
		{"a binary patch", "Binary files a/logo.png and b/logo.png differ\n", false},

		{"search and replace", "<<<<<<< SEARCH\n  balance -= amount\n=======\n  balance -= Math.abs(amount)\n>>>>>>> REPLACE\n", true},
		{"search and replace that names its file", "crlf.cs\n<<<<<<< SEARCH\n\tint Total = 0;\n=======\n\tlong Total = 0;\n>>>>>>> REPLACE\n", true},
		{"search for what is not there", "<<<<<<< SEARCH\n  balance -= total\n=======\n  x\n>>>>>>> REPLACE\n", false},
		{"search for what is there twice", "<<<<<<< SEARCH\n}\n=======\n};\n>>>>>>> REPLACE\n", false},
		{"search for nothing", "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n", false},
		{"search without an end", "<<<<<<< SEARCH\n  balance -= amount\n=======\n", false},
		{"two blocks out of order", "<<<<<<< SEARCH\n  balance -= amount\n=======\n  balance--\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nlet balance = 100\n=======\nlet balance = 0\n>>>>>>> REPLACE\n", true},

		{"update file", "*** Begin Patch\n*** Update File: src/pay.js\n@@ export function refund\n-  balance -= amount\n+  balance--\n*** End Patch\n", true},
		{"update file without a mark", "*** Begin Patch\n*** Update File: src/pay.js\n-  balance -= amount\n+  balance--\n*** End Patch\n", true},
		{"add file", "*** Begin Patch\n*** Add File: src/new.js\n+let x = 1\n*** End Patch\n", true},
		{"delete file", "*** Begin Patch\n*** Delete File: src/pay.js\n*** End Patch\n", false},

		{"bare code", "if (seen.has(key)) return balance\n", false},
		{"prose", "Add a check of the key before the subtraction.", false},
		{"empty", "", false},
		{"too large", "@@ -1 +1 @@\n-let balance = 100\n+" + strings.Repeat("x", maxPatch) + "\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := CheckPatch(test.patch, "src/pay.js", workspace); got != test.want {
				t.Errorf("fits: %t, want %t", got, test.want)
			}
		})
	}
}

func TestCheckPatchIsBounded(t *testing.T) {
	var text strings.Builder
	for n := range 60 {
		fmt.Fprintf(&text, "line %d\n", n)
	}
	files := tree{"n.txt": text.String()}
	hunks, blocks := "", ""
	for n := range 60 {
		if got := CheckPatch(hunks, "n.txt", files); n > 0 && got != (n <= maxHunks) {
			t.Errorf("%d hunks fit: %t", n, got)
		}
		if got := CheckPatch(blocks, "n.txt", files); n > 0 && got != (n <= maxPatchFiles) {
			t.Errorf("%d blocks fit: %t", n, got)
		}
		hunks += fmt.Sprintf("@@ -%d +%d @@\n-line %d\n+row %d\n", n+1, n+1, n, n)
		blocks += fmt.Sprintf("<<<<<<< SEARCH\nline %d\n=======\nrow %d\n>>>>>>> REPLACE\n", n, n)
	}
}
