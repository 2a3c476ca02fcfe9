//go:build linux && !amd64 && !arm64

package jail

import (
	"fmt"
	"runtime"
)

func filterSockets(bool) error {
	return fmt.Errorf("jail: no socket filter for the processor %s: run without confinement", runtime.GOARCH)
}
