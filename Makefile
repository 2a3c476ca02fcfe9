# The commands of this repository. `make help` lists them.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

# Files of npm, fresh when the lock file has not changed since.
MODULES := node_modules/.package-lock.json

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: test
test: ## everything, as CI runs it
test: build audit test-go mutants test-loader test-report test-hosts test-driver first-hour corpus
	@printf '\nin short\n  go: %s packages passed\n' "$$(grep -c '^ok' .cache/test-go.log)"
	@grep -E '^(# (node|bun)|(#|ℹ) (pass|fail) [0-9]+)$$' .cache/test-loader.log | sed -E 's/^[# ℹ]*/  /'

.PHONY: build
build: $(MODULES) ## the module and the loader into dist/
	go run ./internal/buildguest
	npm run --silent build

.PHONY: audit
audit: ## what the module can reach, and nothing else
	@test -f dist/superadvisor.wasm || go run ./internal/buildguest
	go run ./internal/audit dist/superadvisor.wasm

.PHONY: test-go
test-go: ## the tests of Go, but for those with real hosts
	@mkdir -p .cache
	@go test -timeout 20m $$(go list ./... | grep -vE '/internal/e2e(pi)?$$') 2>&1 | tee .cache/test-go.log | grep -v '\[no test files\]'
	@echo "go: $$(grep -c '^ok' .cache/test-go.log) packages passed"

.PHONY: test-loader
test-loader: $(MODULES) ## the tests of the loader, under Node and under Bun
	@mkdir -p .cache
	npm run --silent typecheck
	@npm test --silent 2>&1 | tee .cache/test-loader.log || { printf '\nwhat failed\n'; grep -aE -B12 -A24 '^ *(error: |not ok |\(fail\))' .cache/test-loader.log | tail -n 150; exit 1; }

.PHONY: test-report
test-report: build ## the report in a real Chromium: phone, desk, light, dark, keyboard
	node --test test/browser/

.PHONY: corpus
corpus: ## what is caught and what is let through, with the bars
	go run ./internal/corpus/cmd

.PHONY: demo
demo: ## the worked example in a real OpenCode, with a readable timeline
	go run ./internal/demo

.PHONY: first-hour
first-hour: build ## a first-time user's way, in the real OpenCode and pi
	go run ./internal/firsthour

.PHONY: search
search: ## every sequence of events that could wake twice, with its counts
	go run ./internal/search/cmd

.PHONY: mutants
mutants: ## break each rule of loop safety, and demand a test that fails
	go run ./internal/mutants/cmd

.PHONY: soak
soak: build ## 100,000 events in 200 sessions: memory stays flat, nothing is lost
	node scripts/long.mjs soak 100000 200

.PHONY: kill
kill: build ## kill the host at 50 moments around a wake: never a second wake
	node scripts/long.mjs kill 50

.PHONY: test-hosts
test-hosts: $(MODULES) ## the packed plugin in the real OpenCode and pi, one after the other
	go test -count=1 -p 1 -timeout 20m ./internal/e2e ./internal/e2epi

.PHONY: test-driver
test-driver: build ## the headless driver, against the real OpenCode
	go test -tags realhost -count=1 -parallel 2 -p 1 -timeout 15m ./pkg/opencode/... ./internal/hosts/... ./internal/modelserver/... ./examples/headless/...

.PHONY: bench
bench: $(MODULES) ## what reaches a person, what a session sends, and how long it takes
	go run ./internal/bench/cmd
	go run ./internal/guestbench -keep codec ./pkg/protocol
	go test -run '^$$' -bench . ./pkg/harness
	node scripts/bench.mjs

.PHONY: bench-check
bench-check: $(MODULES) ## the benches of codec and loader; fails where one misses its bar
	@missed=0; \
	go run ./internal/guestbench -check 3 -keep codec ./pkg/protocol || missed=1; \
	node scripts/bench.mjs --check || missed=1; \
	exit $$missed

.PHONY: sizes
sizes: ## what each package takes of the module
	go run ./internal/buildguest -sizes -keep testdata/bench/sizes.json

.PHONY: check
check: test ## also formatting, vet, generated files, builds twice, a clean tree
	@files=$$(git ls-files '*.go' ':!testdata' | xargs gofmt -l); test -z "$$files" || { echo "gofmt these: $$files" >&2; exit 1; }
	go vet -tags realhost ./...
	GOOS=wasip1 GOARCH=wasm go vet ./wasm
	go generate ./pkg/protocol
	go run ./internal/buildguest -twice
	go run ./internal/audit dist/superadvisor.wasm >/dev/null
	git diff --exit-code

.PHONY: clean
clean: ## what was built and cached
	rm -rf dist .cache

$(MODULES): package.json package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund
	@touch $@
