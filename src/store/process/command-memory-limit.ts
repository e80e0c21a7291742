type CommandLine = readonly [command: string, ...args: string[]]

/**
 * A command line that limits the memory of the command and of each process that the command starts. A system without
 * this limit ignores it.
 * @param memory bytes; undefined: no limit
 * @see sh(1), `ulimit`; setrlimit(2): a limit that the system does not know has no effect
 */
export function withinMemory(memory: number | undefined, command: CommandLine): CommandLine {
  if (memory === undefined || process.platform === 'win32') return command
  const script = 'ulimit -v "$1" 2>/dev/null; shift; exec "$@"'
  return ['/bin/sh', '-c', script, 'sh', String(Math.ceil(memory / 1024)), ...command]
}
