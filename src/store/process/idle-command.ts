import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/*
 * Work in the background that uses only the time of the processor that the processes of this session leave. The lowest
 * niceness is not enough: a process that is started as leader of a session of its own, so that its children can be ended
 * with it, shares the processor with the server half and half where Linux groups processes by session, and a process of
 * low priority goes on for some milliseconds when a more important one wakes up.
 *
 * Measured with two processes of git that compress packs beside a server of 1,000,000 documents on 2 cores, with searches
 * and 200 creates a second: a search takes 80 ms (median), 90 ms with the lowest niceness of process and session, 165 ms
 * with that of the process alone.
 *
 * `timeout` of coreutils leads a process group within the session, which Node.js cannot start: its `detached` makes a
 * session. `chrt` of util-linux sets the policy SCHED_IDLE.
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

/** Milliseconds for the trial. On a machine that has no time left, it waits. */
const maxTrialTime = 5000

let isPossible: boolean | undefined

/**
 * The same command, which yields to all other processes of this session and soon leads a process group. It exits with 127
 * if there is no such command.
 * @returns undefined if the system has no programs for it: not Linux, or others of the same name
 */
export async function idleCommand(commandLine: readonly string[]): Promise<StartedCommand | undefined> {
  isPossible ??= process.platform === 'linux' ? await tryCommand() : false
  return isPossible ? { command, args: [...args, ...commandLine] } : undefined
}

/** Whether a process that is started so leads its group and has the policy; undefined if that is not known. */
async function tryCommand(): Promise<boolean | undefined> {
  const options = { cwd: '/', timeout: maxTrialTime }
  const running = promisify(execFile)(command, [...args, 'cat', '/proc/self/stat'], options)
  try {
    const { stdout } = await running
    // The name of the program stands in parentheses and may have spaces.
    const fields = stdout.split(') ').at(-1)?.split(' ') ?? []
    return fields[2] === String(running.child.pid) && fields[38] === idlePolicy
  } catch (error) {
    // One of the programs is missing, or the system does not allow the policy. Others may be another time.
    const { code } = error as { readonly code?: unknown }
    return code === 'ENOENT' || typeof code === 'number' ? false : undefined
  }
}
