// Package frontmatter reads Markdown files that begin with values in YAML between two lines
// of three hyphens, as the files of agents, skills and commands do.
//
// [Parse] splits a file and checks its YAML, the methods of [Value] decode the values. Parts
// that readers understand in different ways are errors: repeated keys, tags, merge keys.
// The work for a file is bounded by its size, whatever aliases and nesting it has.
package frontmatter
