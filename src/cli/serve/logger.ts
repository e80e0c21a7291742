import type { RequestLog, RequestLogEntry } from '../../http/observability/request-log.js'
import type { Terminal } from '../output/terminal.js'
import { type LogLevel, logLevels, type ServerOptions } from './server-options.js'

/** The log of a server, on standard error. */
export interface ServerLogger extends RequestLog {
  /** Logs something that the operator should know. */
  note(message: string): void
  /** Logs a bug or a failure of the machine. @param request id of the request that failed */
  failed(error: unknown, doing: string, request?: string): void
  /** Resolves when every line is written. */
  close(): Promise<void>
}

export async function openLog(
  terminal: Terminal,
  { log: form, logLevel }: Pick<ServerOptions, 'log' | 'logLevel'>,
): Promise<ServerLogger> {
  if (form === 'off') return silent
  const maxLevel = logLevels.indexOf(logLevel)
  const isWanted = (level: LogLevel) => logLevels.indexOf(level) <= maxLevel
  const { note, failed, write, close } = form === 'json' ? await inJson() : inText(terminal)
  const refusals = openRefusals(note)
  return {
    note(message) {
      if (isWanted('warn')) note(message)
    },
    failed,
    // At level info every request is logged.
    isEnabled: status =>
      isWanted(levelOf(status)) && (status !== 503 || isWanted('info') || refusals.isOneOfFew()),
    write,
    close() {
      refusals.close()
      return close()
    },
  }
}

/** Limit of the refusals for overload (503) that are logged in a second: more cost time and say nothing new. */
const maxRefusals = 10

function openRefusals(note: (message: string) => void) {
  let count = 0
  let second: NodeJS.Timeout | undefined
  function end(): void {
    clearTimeout(second)
    second = undefined
    if (count > maxRefusals) note(`${count - maxRefusals} more requests were answered with 503.`)
    count = 0
  }
  return {
    isOneOfFew() {
      second ??= setTimeout(end, 1000).unref()
      count += 1
      return count <= maxRefusals
    },
    close: end,
  }
}

const silent: ServerLogger = {
  note: () => undefined,
  failed: () => undefined,
  isEnabled: () => false,
  write: () => undefined,
  close: async () => undefined,
}

type Form = Omit<ServerLogger, 'isEnabled'>

/** The level of a request. Status 503 and 507 are warnings: the cause is load or a full disk, not a bug. */
function levelOf(status: number): LogLevel {
  if (status < 500) return 'info'
  return status === 503 || status === 507 ? 'warn' : 'error'
}

function inText({ note, paintNote }: Terminal): Form {
  const line = (label: string, message: string) => note(`${label} ${printable(message)}`)
  return {
    note: message => line(paintNote('yellow', 'note:'), message),
    failed(error, doing, request) {
      const [first = '', ...rest] = textOf(error).split('\n')
      const about = request === undefined ? doing : `${doing} [${request}]`
      line(paintNote('red', 'error:'), `${about}: ${first}`)
      // Further lines are indented, so that text of a client cannot look like a line of the log.
      for (const more of rest) note(`  ${printable(more)}`)
    },
    write(exchange) {
      const { method, path, status, milliseconds, bytes, caller = '-', commit, request } = exchange
      const took = `${milliseconds.toFixed(1)} ms`
      const said = [method, path, status, took, `${bytes} B`, caller, ...(commit ? [commit] : [])].join(' ')
      note(`${new Date().toISOString()} ${printable(`${said} [${request}]`)}`)
    },
    close: async () => undefined,
  }
}

/** The stack of an error with those of its causes. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.stack ?? `${error.name}: ${error.message}`
  return error.cause === undefined ? text : `${text}\nCaused by: ${textOf(error.cause)}`
}

async function inJson(): Promise<Form> {
  const { pino } = await import('pino')
  // Asynchronous and bounded: a slow reader neither blocks the server nor fills its memory.
  const destination = pino.destination({ fd: 2, sync: false, maxLength: maxUnread })
  const logger = pino(
    {
      level: 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    destination,
  )
  return {
    note: message => logger.warn(printable(message)),
    failed(error, doing, request) {
      const text = textOf(error).split('\n').map(printable).join('\n')
      logger.error({ request, doing: printable(doing), error: text }, 'failed')
    },
    write: exchange => logger[levelOf(exchange.status)](membersOf(exchange), 'request'),
    close: () =>
      new Promise((resolve, reject) => {
        logger.flush(error => (error ? reject(error) : resolve()))
      }),
  }
}

/** Limit of the characters that wait for the reader of standard error. Further lines are dropped. */
const maxUnread = 4 * 1024 * 1024

function membersOf({ milliseconds, path, caller, ...exchange }: RequestLogEntry): object {
  return {
    ...exchange,
    path: printable(path),
    ...(caller === undefined ? {} : { caller: printable(caller) }),
    milliseconds: Math.round(milliseconds * 100) / 100,
  }
}

/** Limit of the characters of one text in a line. The rest is cut off. */
const longest = 8192

/**
 * Escapes line breaks, terminal control characters and characters that change the direction of text.
 * @see https://www.unicode.org/reports/tr44/#General_Category_Values, Cc, Cf, Zl and Zp
 */
function printable(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text
  return short.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, character => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}
