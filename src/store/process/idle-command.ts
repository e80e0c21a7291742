import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/*
 * Runs work in the background that uses only processor time which the other processes of this session leave. The lowest
 * priority (niceness) is not enough, for two reasons. A program that can be ended together with its children has a
 * session of its own, and where Linux groups processes by session, it gets half of the processor. And a process of low
 * priority goes on for some milliseconds when a more important process wakes up.
 *
 * Measured with two processes of git that compress packs while a server has 1,000,000 documents on 2 cores, with
 * searches and 200 creates a second: a search takes 80 ms (median). With the lowest priority instead, it takes 90 ms if
 * process and session have that priority, and 165 ms if only the process has it.
 *
 * `timeout` of coreutils makes a process group within the session. Node.js cannot: its `detached` makes a new session.
 * `chrt` of util-linux sets the policy SCHED_IDLE.
 * @see https://man7.org/linux/man-pages/man7/sched.7.html, "SCHED_IDLE" and "The autogroup feature"
 */

const command = 'timeout'
const args = ['0', 'chrt', '--idle', '0'] as const

/** Value of `policy` for SCHED_IDLE. @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const idlePolicy = '5'

interface StartedCommand {
  readonly command: string
  readonly args: readonly string[]
}

/** Limit of the trial in milliseconds. On a busy machine, the idle program of the trial has to wait. */
const maxTrialTime = 5000

let isPossible: boolean | undefined

/**
 * A command line that runs the same command, which yields to all other processes of this session. Soon after the start,
 * the process leads a process group. It exits with 127 if there is no such command.
 * @returns undefined if the system is not Linux, or does not have the programs that this needs
 */
export async function idleCommand(commandLine: readonly string[]): Promise<StartedCommand | undefined> {
  isPossible ??= process.platform === 'linux' ? await tryCommand() : false
  return isPossible ? { command, args: [...args, ...commandLine] } : undefined
}

/** Tries whether a process started in this way leads its group and has the policy; undefined if that stays unknown. */
async function tryCommand(): Promise<boolean | undefined> {
  const options = { cwd: '/', timeout: maxTrialTime }
  const running = promisify(execFile)(command, [...args, 'cat', '/proc/self/stat'], options)
  try {
    const { stdout } = await running
    // The name of the program stands in parentheses and may have spaces.
    const fields = stdout.split(') ').at(-1)?.split(' ') ?? []
    return fields[2] === String(running.child.pid) && fields[38] === idlePolicy
  } catch (error) {
    // A program is missing, or the system does not allow the policy: that will stay so. Other errors may go away.
    const { code } = error as { readonly code?: unknown }
    return code === 'ENOENT' || typeof code === 'number' ? false : undefined
  }
}
