"""Reports: a result, several results or a study as one HTML file that needs nothing else."""

from docksim.report.pages import picture_of, report_of_results, report_of_study, write_report

__all__ = ["picture_of", "report_of_results", "report_of_study", "write_report"]
