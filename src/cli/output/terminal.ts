import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { writeJson } from '../../core/json/written-number.js'
import { ProblemError } from '../../core/problem.js'
import { errorCode, systemReason } from '../../store/file-system/file-errors.js'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export interface ProgressBar {
  /** @param total undefined if it is not known */
  show(done: number, total: number | undefined): void
  /** Removes the bar until the next `show`. */
  end(): void
}

/** The output of a command: results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Characters in a line of the terminal; undefined if standard output is no terminal. */
  readonly columns: number | undefined
  /**
   * Writes bytes to standard output. Resolves when the operating system has accepted them.
   * @throws ProblemError of {@link outputProblem}
   */
  write(bytes: string | Uint8Array): Promise<void>
  /** Writes a line to standard output. */
  print(line: string): Promise<void>
  /** Writes a value to standard output as JSON. */
  printJson(value: unknown): Promise<void>
  /** Writes a line to standard error. */
  note(line: string): void
  /** Colours text for standard output, if it is a terminal with colours. */
  paint(style: Style, text: string): string
  /** Colours text for standard error, if it is a terminal with colours. */
  paintNote(style: Style, text: string): string
  /** Shows progress in one line of standard error. Does nothing if standard error is no terminal. */
  progress(label: string): ProgressBar
  /** Shows progress of long work. If standard error is no terminal, it writes a line every few seconds. */
  longProgress(label: string): ProgressBar
}

/** Whether a stream is a terminal on which the user wants colours. @see https://no-color.org */
function hasColours(stream: WriteStream | NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

/** Without `validateStream: false` Node.js would ask standard output about colours, even for standard error. */
function coloured(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false })
}

export function openTerminal(out: WriteStream, err: WriteStream): Terminal {
  const colours = { out: hasColours(out), err: hasColours(err) }
  const write = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      out.write(bytes, error => {
        // The reader closed the pipe: `git-metastore list | head -1`.
        if (error && errorCode(error) !== 'EPIPE') reject(outputProblem(error))
        else resolve()
      })
    })
  return {
    // Some terminals, such as that of script(1), report 0.
    columns: out.isTTY && out.columns > 0 ? out.columns : undefined,
    write,
    print: line => write(`${withoutControl(line)}\n`),
    printJson: value => write(`${writeJson(value, 2)}\n`),
    note: line => {
      err.write(`${withoutControl(line)}\n`)
    },
    paint: (style, text) => (colours.out ? coloured(style, text) : text),
    paintNote: (style, text) => (colours.err ? coloured(style, text) : text),
    progress: label =>
      err.isTTY ? progressBar(err, label) : { show: () => undefined, end: () => undefined },
    longProgress: label => (err.isTTY ? progressBar(err, label) : progressLines(err, label)),
  }
}

/**
 * Escapes what could control the terminal or turn the direction of text, but for colours and line ends: a line may have
 * names of files, texts of documents, and messages of commits.
 */
function withoutControl(line: string): string {
  return line.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
    /(\u001b\[\d+m|[\t\n]|\r(?=\n|$))|[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (found, harmless) => harmless ?? `\\u{${found.charCodeAt(0).toString(16)}}`,
  )
}

/** The problem for a failed write to standard output. */
export function outputProblem(error: Error): ProblemError {
  const kind = errorCode(error) === 'ENOSPC' ? 'no-space' : 'unavailable'
  const reason = systemReason(error) ?? error.message
  return new ProblemError(kind, `Standard output cannot be written to: ${reason}.`, {}, { cause: error })
}

const barWidth = 30
/** Milliseconds between two drawings of the bar. To draw it at every step would cost more than the steps. */
const drawInterval = 80

function progressBar(stream: WriteStream, label: string): ProgressBar {
  let drawnAt = 0
  return {
    show(done, total) {
      const now = Date.now()
      if (now - drawnAt < drawInterval && (total === undefined || done < total)) return
      drawnAt = now
      if (total === undefined) {
        stream.write(`\r\u001b[K${label} ${done}`)
        return
      }
      const filled = total === 0 ? barWidth : Math.round((barWidth * Math.min(done, total)) / total)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
      stream.write(`\r\u001b[K${label} ${bar} ${done}/${total}`)
    },
    end() {
      stream.write('\r\u001b[K')
    },
  }
}

/** Milliseconds between two lines. */
const lineInterval = 5000

function progressLines(stream: WriteStream, label: string): ProgressBar {
  let toldAt = Date.now()
  return {
    show(done, total) {
      const now = Date.now()
      if (now - toldAt < lineInterval) return
      toldAt = now
      stream.write(`${label}: ${done}${total === undefined ? '' : ` of ${total}`}\n`)
    },
    end: () => undefined,
  }
}
