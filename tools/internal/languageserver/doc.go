// Package languageserver asks language servers about source files. It speaks the part of the
// Language Server Protocol that definitions, references, hover, symbols, implementations,
// call hierarchies and diagnostics need, and nothing that writes.
//
// A [Pool] holds the servers of one conversation: one process for each name and root, started
// by the first request. A [Server] outlives its process. It is started again after a crash
// and after it was shut down for being idle. The files on the disk are the truth: before each
// request the server is told of the changes.
//
// What a server sends is foreign text. The package decodes it, limits its size and marks
// nothing.
//
// # Limits
//
// A message of a server has at most 64 MiB, and its header 8 KiB. 16 MiB of messages may wait
// for a server that does not read. A server may send 10,000 requests between two of its
// answers. A document has at most 16 MiB, and 50 stay open. 200,000 files in 50,000 folders are
// watched. A server is started four times in five minutes. A server that exceeds a limit is
// killed, which counts as a crash.
package languageserver
