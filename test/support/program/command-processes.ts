import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/*
 * Runs commands of this build in turn in reused processes. A short command then takes a tenth of the processor time,
 * and the start of a server a third. If a command ends its process or is killed, only this process is lost.
 */

/** A command that a process runs. */
export interface Command {
  /** The script that a person would start. */
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  /** Standard input in base64; undefined if it is empty. */
  readonly input?: string | undefined
  /** Text that marks the end of the output in standard output and in standard error. */
  readonly mark: string
}

/** The output of a command, and its exit code: null if a signal ended it. */
export interface Written {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** A running command. */
export interface RunningCommand {
  /** The process that runs the command. */
  readonly child: ChildProcess
  /** Returns the standard output so far. */
  stdout(): Buffer
  /** Returns the standard error so far. */
  stderr(): Buffer
  /** Resolves when the command or its process has ended. */
  readonly ended: Promise<Written>
}

const script = fileURLToPath(new URL('../../program/command-process-entry.js', import.meta.url))
/** Processes without a command. */
const idle: ChildProcess[] = []

/** Runs a command to its end. */
export async function runCommand(command: Omit<Command, 'mark'>): Promise<Written> {
  return await beginCommand(command).ended
}

/** Starts a command in a process that runs no other command. */
export function beginCommand(command: Omit<Command, 'mark'>): RunningCommand {
  const child = idle.pop() ?? open(command.env)
  keepsAlive(child, true)
  const mark = `\0${randomUUID()}\0`
  const { stdout, stderr, written } = collect(child, mark)
  child.send({ ...command, mark } satisfies Command)
  const ended = written.then(result => {
    if (child.connected && child.exitCode === null && child.signalCode === null) {
      keepsAlive(child, false)
      idle.push(child)
    }
    return result
  })
  return { child, stdout, stderr, ended }
}

function open(env: Readonly<Record<string, string>>): ChildProcess {
  // A process group of its own, so that a signal reaches a server and all its child processes.
  return fork(script, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
}

/** Sets whether this process waits for the child before it ends. */
function keepsAlive(child: ChildProcess, alive: boolean): void {
  const streams = [child.stdout, child.stderr] as unknown as readonly { ref(): void; unref(): void }[]
  for (const held of [child, child.channel, ...streams]) alive ? held?.ref() : held?.unref()
}

/** @returns functions for the output so far, and a promise of the whole output */
function collect(child: ChildProcess, mark: string) {
  const out = outputOf(child.stdout as Readable, mark)
  const err = outputOf(child.stderr as Readable, mark)
  const written = new Promise<Written>((resolve, reject) => {
    const finish = (code: number | null) => {
      child.off('error', reject)
      child.off('close', finish)
      resolve({ code, stdout: out.stop(), stderr: err.stop() })
    }
    child.once('error', reject)
    child.once('close', finish)
    Promise.all([out.code, err.code]).then(([code]) => finish(code), reject)
  })
  return { stdout: out.text, stderr: err.text, written }
}

interface Output {
  /** Resolves when the mark and the exit code behind it have arrived. */
  readonly code: Promise<number>
  /** Returns the output so far, without the mark. */
  text(): Buffer
  /** Stops reading. @returns the output before the mark */
  stop(): Buffer
}

function outputOf(stream: Readable, mark: string): Output {
  const chunks: Buffer[] = []
  let tail = ''
  let read: (chunk: Buffer) => void = () => undefined
  const code = new Promise<number>(resolve => {
    read = chunk => {
      chunks.push(chunk)
      tail = (tail + chunk.toString('latin1')).slice(-2 * mark.length)
      const index = tail.lastIndexOf(mark)
      if (index >= 0 && tail.endsWith('\n')) resolve(Number(tail.slice(index + mark.length)))
    }
    stream.on('data', read)
  })
  const text = () => {
    const bytes = Buffer.concat(chunks)
    const index = bytes.lastIndexOf(mark)
    return index < 0 ? bytes : bytes.subarray(0, index)
  }
  return {
    code,
    text,
    stop() {
      stream.off('data', read)
      return text()
    },
  }
}
