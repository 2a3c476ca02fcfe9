package harness

import (
	"fmt"

	"github.com/Kayphoon/opencode-advisor/internal/diskfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func openRoot(root string) (protocol.Files, error) {
	if root == "" {
		return nil, fmt.Errorf("open the workspace: set Config.Root or Config.Files")
	}
	return diskfs.New(root)
}
