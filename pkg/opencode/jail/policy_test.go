package jail

import (
	"strings"
	"testing"
)

func TestKernelSupportIsToldByTheLandlockVersion(t *testing.T) {
	for abi, want := range map[int]string{
		0: "has no Landlock", 1: "version 1) cannot restrict the network", 3: "version 3) cannot restrict the network", 4: "", 12: "",
	} {
		err := support(abi)
		switch {
		case want == "" && err != nil:
			t.Errorf("version %d: %v", abi, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Linux 6.7")):
			t.Errorf("version %d: got %v, want %q", abi, err, want)
		}
	}
}
