import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export interface ProgressBar {
  /** @param total undefined: nobody knows */
  show(done: number, total: number | undefined): void
  /** Wipes it, until it is shown again. */
  end(): void
}

/** Where a command writes: results to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether a person looks at standard output; width of its lines then. */
  readonly columns: number | undefined
  /** Bytes to standard output as they are; resolves when they are handed over. */
  write(bytes: string | Uint8Array): Promise<void>
  /** A line to standard output. */
  print(line: string): Promise<void>
  /** A value to standard output as JSON, for machines. */
  printJson(value: unknown): Promise<void>
  /** A line to standard error. */
  note(line: string): void
  /** Text for standard output in a colour; plain where nobody sees it. */
  paint(style: Style, text: string): string
  /** The same for standard error. */
  paintNote(style: Style, text: string): string
  /** Redraws one line of standard error, and wipes it at the end; nothing where that is no terminal. */
  progress(label: string): ProgressBar
  /** The same for what takes long: a line now and then where standard error is no terminal. */
  longProgress(label: string): ProgressBar
}

/** @see https://no-color.org */
function hasColours(stream: WriteStream | NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

/** Which stream has colours is known here; Node.js would look at standard output for both. */
function coloured(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false })
}

export function openTerminal(out: WriteStream, err: WriteStream): Terminal {
  const colours = { out: hasColours(out), err: hasColours(err) }
  const write = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      out.write(bytes, error => {
        // The reader has had enough: `git-metastore list | head -1`.
        if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error)
        else resolve()
      })
    })
  return {
    // Some terminals, such as that of script(1), report 0.
    columns: out.isTTY && out.columns > 0 ? out.columns : undefined,
    write,
    print: line => write(`${line}\n`),
    printJson: value => write(`${JSON.stringify(value, null, 2)}\n`),
    note: line => {
      err.write(`${line}\n`)
    },
    paint: (style, text) => (colours.out ? coloured(style, text) : text),
    paintNote: (style, text) => (colours.err ? coloured(style, text) : text),
    progress: label =>
      err.isTTY ? progressBar(err, label) : { show: () => undefined, end: () => undefined },
    longProgress: label => (err.isTTY ? progressBar(err, label) : progressLines(err, label)),
  }
}

const barWidth = 30
/** Milliseconds between two drawings: a line redrawn at every step costs more than the steps. */
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
