// Package schedule lets a model come back later: Sleep waits within a call, CronCreate and
// ScheduleWakeup make jobs whose prompts come when the host is idle, and RemoteTrigger directs
// the triggers of a service that the host has.
//
// # Jobs
//
// [Open] returns the jobs of one conversation, and [Schedule.Tools] the tools of the model for
// them. The package starts no clock and no goroutine: a job fires when the host, which knows when
// the model is idle, calls [Schedule.Wait] or [Schedule.Due]. So nothing fires while the model
// works, and a job that has come several times by then fires once.
//
//	for {
//		fire, err := jobs.Wait(ctx) // while the model is idle
//		if err != nil {
//			return err
//		}
//		turn(ctx, fire.Parts())
//	}
//
// A fire is a prompt that the model has written to itself. [Fire.Parts] tells the model so, with the
// id of the job. It is not the user's word: a host must not take it for an approval, and gives it
// the permissions that the session has, and no others.
//
// # Expressions
//
// A cron expression has five fields, minute, hour, day of month, month and day of week, in local
// time, see [Options].Location. A field is *, a value, a range, * or a range with a step (*/15,
// 8-18/2), or a list of these. 0 and 7 are Sunday. If neither the day of month nor the day of week
// begins with *, a day that fits one of them will do; otherwise it must fit both. Names, L, W, #, ?,
// @daily and a sixth field are refused, as is an expression that never comes, such as 31 February.
//
// A job comes at each minute at which a local clock shows a time that fits. In the hour that the
// end of summer time repeats it comes twice, and in the hour that its beginning leaves out, not at
// all.
//
// # When a job fires
//
// So that not all conversations ask at the same second, the id of a job decides how much it is
// moved, always by the same: a recurring job fires up to 30 minutes after its time, but by less than
// half of the time until its next; a job that comes once, at minute 0 or 30, fires up to 90 seconds
// earlier. [Options].Exact moves nothing. A wake-up is never moved.
//
// A recurring job ends after [MaxAge]: it fires once more, and is gone.
//
// # The file
//
// Durable jobs stand in one file, which is replaced as a whole. A program that opens it gets the
// recurring jobs that are younger than [MaxAge], and those that are still to come. One program at a
// time waits for the jobs of a file. If others use it all the same, no change is lost, and each
// fire is handed out once.
//
// The file is JSON: {"version": 1, "jobs": [{"id", "cron", "prompt", "recurring", "created",
// "due"}]}, with times as in RFC 3339; due is the next time that the expression names. A file that is
// none, that a later version has written, or that is a directory or a link, is left as it is: see
// [ErrFile].
package schedule
