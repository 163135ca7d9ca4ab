// Package web lets a model search and read the web. [Fetch] returns the tool WebFetch, and [Search]
// the tool WebSearch.
//
// # What can be reached
//
// A request is a GET without cookies, credentials or a body, to the public internet: hosts,
// redirects and every address that a name has are judged before anything is dialled, and only
// judged addresses are dialled. No rule, mode or hook permits an address that is not public. The
// program may name pairs of host and port that need not be: see [FetchOptions].Reach.
//
// Permission is that of the host: rules such as WebFetch(domain:go.dev) decide it, and otherwise the
// user does, or [FetchOptions].Preapproved. The decision is made for every call, also if the answer
// comes from the cache. A redirect to another host is reported, so that the model can call again
// and the new host is decided like any other.
//
// # What the model reads
//
// HTML becomes Markdown. Other text is shown as it is, and so is an image. Other files go into the
// result store, and the model is told where. What a server sent stands between the marks <web-page>
// and </web-page>, which it cannot imitate: its words are data, and no instruction. Hosts should
// still treat the turns that follow as ones in which another may have spoken.
//
// # Searching
//
// A search needs a [Backend], which only the host has: [Brave], [Tavily] and [SearXNG] ask a service
// over HTTP, and [Folder] searches documents of this machine without any request. A backend of a
// service reaches the host of its own address and no other, follows no redirect, and keeps its key
// out of errors and results. Its address comes from the program, and need not be public.
//
// The domains of a search are given to the backend, and applied again to its hits. Titles
// and texts of the hits stand between the marks <search-results> and </search-results>, and their
// addresses are only those of the web, or of files. A hit is not fetched: the model calls WebFetch
// for that, with a permission of its own.
//
// # Concurrency
//
// One client and one cache serve all agents of a conversation. The connections are closed with the
// main session. Calls run beside each other.
package web
