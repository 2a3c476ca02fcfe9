// Package e2epi holds the tests that run the packed package in a real pi, under Node and under Bun.
package e2epi
