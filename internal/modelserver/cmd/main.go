// Command modelserver runs the scripted model server for tests that are not written in Go. It prints one
// line of JSON, {"url", "baseURL", "port"}, and serves until its standard input closes, so that it never
// outlives the test that started it.
//
//	modelserver [-script script.json] [-addr 127.0.0.1:0]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "modelserver:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("modelserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := flags.String("script", "", "script `file`; POST /script replaces it")
	addr := flags.String("addr", "127.0.0.1:0", "loopback `address` to listen on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var script modelserver.Script
	if *path != "" {
		var err error
		if script, err = modelserver.ReadScript(*path); err != nil {
			return err
		}
	}
	server, err := modelserver.StartAt(*addr, script)
	if err != nil {
		return err
	}
	defer server.Close()
	if err := json.NewEncoder(stdout).Encode(map[string]any{
		"url": server.URL(), "baseURL": server.BaseURL(), "port": server.Port(),
	}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, stdin)
	return err
}
