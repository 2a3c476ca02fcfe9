package jail

import (
	"fmt"
	"path/filepath"
)

// Policy is all that a confined program may reach, beside the system's own folders (programs, libraries and
// settings under /usr, /etc and the like, read only, and the usual devices).
type Policy struct {
	// Write are folders for everything: read, write, create, remove, run.
	Write []string `json:"write"`
	// Read are further folders or files to read and run.
	Read []string `json:"read"`
	// Connect are the TCP ports to which connections may be opened.
	Connect []uint16 `json:"connect"`
	// UDP allows UDP sockets, which looking up a host name needs.
	UDP bool `json:"udp"`
}

func (p Policy) check() error {
	for _, path := range append(append([]string{}, p.Write...), p.Read...) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("jail: path %q is not absolute", path)
		}
	}
	return nil
}

// minABI is the first Landlock version with network rules (Linux 6.7).
const minABI = 4

// support says whether a kernel with this Landlock version can hold a policy. Zero stands for none.
func support(abi int) error {
	switch {
	case abi <= 0:
		return fmt.Errorf("jail: this kernel has no Landlock, or has it turned off: " +
			"boot Linux 6.7 or newer with landlock in its list of security modules (lsm=), or run without confinement")
	case abi < minABI:
		return fmt.Errorf("jail: this kernel's Landlock (version %d) cannot restrict the network: "+
			"version %d is needed (Linux 6.7 or newer), or run without confinement", abi, minABI)
	}
	return nil
}
