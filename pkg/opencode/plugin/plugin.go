// Package plugin makes an OpenCode plugin that lies on this disk loadable by an OpenCode with folders of its
// own: a sandboxed run, a test. Nothing is fetched.
package plugin

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
	"regexp"
	"strings"
)

// maxPackage bounds an unpacked package, in bytes. Plugins with a large model or binary are below it.
const maxPackage = 100 << 20

// The parts of a package's name and version become parts of paths.
var (
	packageName    = regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$`)
	packageVersion = regexp.MustCompile(`^[0-9][0-9A-Za-z.+-]*$`)
)

// Place makes the plugin at a path loadable and returns its spec for OpenCode's config ("plugin": [spec]).
//
//   - A packed tarball (.tgz, as npm pack makes it) is unpacked to where OpenCode itself would install the
//     package, below cacheHome (the host's XDG_CACHE_HOME), and named name@version: the host resolves its exports.
//   - A folder with a package.json is given as the file URL of its server entry, a single file as its own.
func Place(cacheHome, path string) (spec string, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("place plugin: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("place plugin: %w: is it built?", err)
	}
	switch {
	case info.IsDir():
		entry, _, err := packageEntry(path)
		if err != nil {
			return "", fmt.Errorf("place plugin %s: %w", path, err)
		}
		file := filepath.Join(path, entry)
		if _, err := os.Stat(file); err != nil {
			return "", fmt.Errorf("place plugin %s: its entry is missing: %w: is it built?", path, err)
		}
		return fileURL(file), nil
	case strings.HasSuffix(path, ".tgz"):
		if spec, err = unpack(cacheHome, path); err != nil {
			return "", fmt.Errorf("place plugin %s: %w", path, err)
		}
		return spec, nil
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
	if !packageName.MatchString(pkg.Name) || !packageVersion.MatchString(pkg.Version) {
		return "", "", fmt.Errorf("package.json: %q version %q cannot be a package's name and version", pkg.Name, pkg.Version)
	}
	return entry, pkg.Name + "@" + pkg.Version, nil
}

func unpack(cacheHome, tarball string) (string, error) {
	packages := filepath.Join(cacheHome, "opencode", "packages")
	if err := os.MkdirAll(packages, 0o700); err != nil {
		return "", err
	}
	staging, err := os.MkdirTemp(packages, ".unpack-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(staging)
	if err := untar(tarball, staging); err != nil {
		return "", err
	}
	dir := filepath.Join(staging, "package") // npm pack puts everything there
	_, spec, err := packageEntry(dir)
	if err != nil {
		return "", err
	}
	home := filepath.Join(packages, spec, "node_modules", spec[:strings.LastIndex(spec, "@")])
	if err := errors.Join(os.MkdirAll(filepath.Dir(home), 0o700), os.RemoveAll(home)); err != nil {
		return "", err
	}
	return spec, os.Rename(dir, home)
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
		return fmt.Errorf("read gzip: %w", err)
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
