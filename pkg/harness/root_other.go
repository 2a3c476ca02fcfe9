//go:build !linux

package harness

import (
	"errors"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func openRoot(string) (protocol.Files, error) {
	return nil, errors.New("open the workspace: Config.Root needs Linux; set Config.Files instead")
}
