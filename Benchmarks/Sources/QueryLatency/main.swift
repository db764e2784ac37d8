import LatencyRunner

LatencyCommand<QueryRows>.main()
