// Package embed stands in for the standard one in the guest, which embeds texts
// and no folders: without FS, and so without io/fs, time and what they bring.
package embed
