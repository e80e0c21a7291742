/*
 * The lines for the operator from the services of this process. Mocha shows the newest lines with a failed test. This
 * is a separate module, because loading the services takes longer than many a test.
 */

const open = new Set<readonly string[]>()

/** Opens the list of the lines of one repository. It is open until {@link closeReports}. */
export function openReports(): string[] {
  const reports: string[] = []
  open.add(reports)
  return reports
}

export function closeReports(reports: readonly string[]): void {
  open.delete(reports)
}

/** The newest lines of all open repositories. */
export function newestReports(count: number): readonly string[] {
  return [...open].flat().slice(-count)
}
