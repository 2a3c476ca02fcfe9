//go:build !unix

package sandbox

import "errors"

var errPlatform = errors.New("sandbox: needs a Unix system (file locks and process groups)")

func privateRoot(string) (string, error) { return "", errPlatform }

type lock struct{}

func tryLock(string) (*lock, error) { return nil, errPlatform }
func (*lock) release() error        { return nil }
func (*lock) abandon() error        { return nil }
