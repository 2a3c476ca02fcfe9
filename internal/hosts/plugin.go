package hosts

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// maxPackage bounds an unpacked plugin package: ours is under 10 MB.
const maxPackage = 100 << 20

// placePlugin makes a plugin loadable by OpenCode and returns its spec for the config.
//
//   - a packed tarball (.tgz) is unpacked where OpenCode itself would install it, and named as a user
//     names a package, so that its exports are resolved by the host
//   - a folder with a package.json, or a single file, is given as a file URL
func (p *Project) placePlugin(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("place plugin: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("place plugin: %w (is it built?)", err)
	}
	switch {
	case info.IsDir():
		entry, _, err := packageEntry(path)
		if err != nil {
			return "", fmt.Errorf("place plugin %s: %w", path, err)
		}
		return fileURL(filepath.Join(path, entry)), nil
	case strings.HasSuffix(path, ".tgz"):
		return p.unpackPlugin(path)
	}
	return fileURL(path), nil
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// packageEntry reads which file a host loads from a package, and its name@version.
func packageEntry(dir string) (entry, spec string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return "", "", err
	}
	var pkg struct {
		Name, Version, Main string
		Exports             map[string]json.RawMessage
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		return "", "", fmt.Errorf("package.json: %w", err)
	}
	entry = pkg.Main
	for _, key := range []string{".", "./server"} { // the last one wins
		var target string
		if json.Unmarshal(pkg.Exports[key], &target) == nil && target != "" {
			entry = target
		}
	}
	if entry == "" {
		return "", "", errors.New(`package.json: neither exports["./server"] nor main`)
	}
	return entry, pkg.Name + "@" + pkg.Version, nil
}

func (p *Project) unpackPlugin(tarball string) (string, error) {
	staging, err := os.MkdirTemp(p.Root, "plugin-")
	if err != nil {
		return "", fmt.Errorf("unpack plugin: %w", err)
	}
	if err := untar(tarball, staging); err != nil {
		return "", fmt.Errorf("unpack plugin %s: %w", tarball, err)
	}
	dir := filepath.Join(staging, "package") // npm pack puts everything there
	_, spec, err := packageEntry(dir)
	if err != nil {
		return "", fmt.Errorf("unpack plugin %s: %w", tarball, err)
	}
	name := spec[:strings.LastIndex(spec, "@")]
	// OpenCode installs <spec> into <cache>/packages/<spec>/node_modules/<name>, and takes what is there.
	home := filepath.Join(p.Cache, "opencode", "packages", spec, "node_modules", name)
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return "", fmt.Errorf("unpack plugin: %w", err)
	}
	if err := os.RemoveAll(home); err != nil {
		return "", fmt.Errorf("unpack plugin: %w", err)
	}
	if err := os.Rename(dir, home); err != nil {
		return "", fmt.Errorf("unpack plugin: %w", err)
	}
	return spec, nil
}

// untar unpacks regular files and folders; a name that leaves the folder is an error.
func untar(tarball, into string) error {
	f, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	tr := tar.NewReader(io.LimitReader(zr, maxPackage))
	for {
		h, err := tr.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("entry %q leaves the package", h.Name)
		}
		path := filepath.Join(into, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o755)
		case tar.TypeReg:
			err = writeFile(path, tr)
		}
		if err != nil {
			return err
		}
	}
}

func writeFile(path string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, from); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
