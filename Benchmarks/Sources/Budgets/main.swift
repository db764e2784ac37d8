import LatencyRunner

BudgetCommand.main()
