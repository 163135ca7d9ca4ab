// Package edit changes the text of a file and keeps every byte outside the changed
// places.
//
// It works on bytes in memory and opens no file. [Parse] decodes the bytes of a file,
// and [Text.Replace] and [Text.Rewrite] return the new bytes. Text is matched and shown
// to the model as UTF-8 with "\n" line ends and without a byte order mark. The new
// bytes have the encoding, byte order mark and line ends of the file.
//
// All functions are pure and may be called concurrently.
package edit
