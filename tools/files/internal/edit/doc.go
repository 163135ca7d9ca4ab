// Package edit changes the text of files without damage to what is not changed.
//
// It works on bytes in memory and opens no file. [Parse] takes the bytes of a
// file apart, [Text.Replace] and [Text.Rewrite] give the bytes that should
// follow. Text is matched and shown as UTF-8 with "\n" line ends and without a
// byte order mark; what is written is the file's own encoding, mark and line
// ends. Bytes outside of the replaced places stay as they were.
//
// All functions are pure and may be called from several goroutines.
package edit
