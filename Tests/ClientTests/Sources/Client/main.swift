import Reprise

print("client: linked")
