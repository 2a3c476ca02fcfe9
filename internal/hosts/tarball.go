package hosts

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
)

// WriteTarball writes a package tarball as npm pack makes it: files by path, each below "package/".
func WriteTarball(path string, files map[string]string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write tarball: %w", err)
	}
	zw := gzip.NewWriter(f)
	tw := tar.NewWriter(zw)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		if err = tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err == nil {
			_, err = tw.Write([]byte(content))
		}
		if err != nil {
			break
		}
	}
	if err := errors.Join(err, tw.Close(), zw.Close(), f.Close()); err != nil {
		return fmt.Errorf("write tarball: %w", err)
	}
	return nil
}
